import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { GroupProfile, ProvisionedGroups } from "../groups/provisioned-groups.ts"
import type { Actor } from "../http/caller.ts"
import { findAttribute } from "./attribute-paths.ts"
import { type AttributeValues, createIgnoredNames, parseResource } from "./attribute-values.ts"
import { createAuditContext } from "./audit-context.ts"
import { failScim } from "./errors.ts"
import { parseMemberIds, patchMembers } from "./member-patch.ts"
import { applyOperation } from "./patch-operation.ts"
import { parsePatch } from "./patch-request.ts"
import type { ScimJson } from "./projection.ts"
import { groupType } from "./resource-types.ts"
import type { ResourceViews, ResponseShape } from "./resource-views.ts"

const maxNameLength = 200

interface Deps {
  db: Database
  groups: ProvisionedGroups
  views: ResourceViews
}

const profileOf = (values: AttributeValues): GroupProfile => {
  const name = values.get("displayName")
  const externalId = values.get("externalId")
  if (typeof name !== "string" || name.trim() === "") {
    return failScim("invalidValue", "displayName is required.")
  }
  if (name.length > maxNameLength) {
    failScim("invalidValue", `displayName is too long (maximum ${maxNameLength} characters).`)
  }
  return { name, external_id: typeof externalId === "string" ? externalId : null }
}

const targetsMembers = ({ target }: { target: { attribute: { name: string } } }): boolean =>
  target.attribute.name === "members"

const membersAttribute = findAttribute(groupType.attributes, "members")

const memberIdsIn = (values: AttributeValues): string[] =>
  membersAttribute ? parseMemberIds(membersAttribute, values.get("members")) : []

/** SCIM groups: the same groups that access grants refer to. */
export const createScimGroups = ({ db, groups, views }: Deps) => {
  const write = (
    work: (tx: Tx) => Promise<{ id: string }>,
    shape: ResponseShape,
  ): Promise<ScimJson> =>
    db.transact(async (tx) => {
      const { id } = await work(tx)
      return (await views.groups.findOne(id, shape, tx)) ?? {}
    })

  return {
    get: async (id: string, shape: ResponseShape): Promise<ScimJson> =>
      (await views.groups.findOne(id, shape)) ?? fail("not_found", `Group ${id} not found.`),

    create: (actor: Actor, body: unknown, shape: ResponseShape): Promise<ScimJson> => {
      const ignored = createIgnoredNames()
      const values = parseResource(groupType, body, ignored)
      const input = { profile: profileOf(values), members: memberIdsIn(values) }
      const auditContext = createAuditContext(
        actor,
        { action: "scim.group.created", status: 201 },
        ignored,
      )
      return write((tx) => groups.create(tx, auditContext, input), shape)
    },

    /** Members are unchanged if `members` is absent. */
    replace: (actor: Actor, id: string, body: unknown, shape: ResponseShape): Promise<ScimJson> => {
      const ignored = createIgnoredNames()
      const values = parseResource(groupType, body, ignored)
      const profile = profileOf(values)
      const members = values.has("members") ? memberIdsIn(values) : null
      const auditContext = createAuditContext(
        actor,
        { action: "scim.group.replaced", status: 200 },
        ignored,
      )
      return write(
        (tx) =>
          groups.change(tx, auditContext, id, async (_, membership) => {
            if (members) await membership.replace(members)
            return profile
          }),
        shape,
      )
    },

    patch: (actor: Actor, id: string, body: unknown, shape: ResponseShape): Promise<ScimJson> => {
      const ignored = createIgnoredNames()
      const operations = parsePatch(groupType, body, ignored)
      const auditContext = createAuditContext(
        actor,
        { action: "scim.group.patched", status: 200 },
        ignored,
      )
      return write(
        (tx) =>
          groups.change(tx, auditContext, id, async (group, membership) => {
            const place = { tx, groupId: id, base: shape.base }
            const memberOperations = operations.filter(targetsMembers)
            await patchMembers(memberOperations, { place, membership, ignored })
            const values: AttributeValues = new Map()
            values.set("displayName", group.name)
            values.set("externalId", group.external_id)
            for (const operation of operations) {
              if (!targetsMembers(operation)) applyOperation(values, operation, ignored)
            }
            return profileOf(values)
          }),
        shape,
      )
    },

    remove: (actor: Actor, id: string): Promise<void> => {
      const auditContext = createAuditContext(
        actor,
        { action: "scim.group.deleted", status: 204 },
        createIgnoredNames(),
      )
      return db.transact((tx) => groups.remove(tx, auditContext, id))
    },
  }
}

export type ScimGroups = ReturnType<typeof createScimGroups>
