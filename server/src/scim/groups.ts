import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { GroupProfile, ProvisionedGroups } from "../groups/provisioned-groups.ts"
import type { Actor } from "../http/caller.ts"
import { attributeNamed } from "./attribute-paths.ts"
import { orderOf } from "./audit-context.ts"
import { refuse } from "./errors.ts"
import type { Shape, Views } from "./mappers.ts"
import { memberIds, patchMembers } from "./member-patch.ts"
import { applyOperation } from "./patch.ts"
import { readPatch } from "./patch-request.ts"
import type { Json } from "./projection.ts"
import { groupType } from "./resource-types.ts"
import { createIgnored, readResource, type Values } from "./values.ts"

const maxName = 200

interface Deps {
  db: Database
  groups: ProvisionedGroups
  views: Views
}

const profileOf = (values: Values): GroupProfile => {
  const name = values.get("displayName")
  const externalId = values.get("externalId")
  if (typeof name !== "string" || name.trim() === "") {
    return refuse("invalidValue", "displayName is required.")
  }
  if (name.length > maxName) {
    refuse("invalidValue", `displayName is too long (maximum ${maxName} characters).`)
  }
  return { name, external_id: typeof externalId === "string" ? externalId : null }
}

const isMembers = ({ target }: { target: { attribute: { name: string } } }): boolean =>
  target.attribute.name === "members"

const membersAttribute = attributeNamed(groupType.attributes, "members")

const idsIn = (values: Values): string[] =>
  membersAttribute ? memberIds(membersAttribute, values.get("members")) : []

/** SCIM groups: the same groups that access grants refer to. */
export const createScimGroups = ({ db, groups, views }: Deps) => {
  const write = (work: (tx: Tx) => Promise<{ id: string }>, shape: Shape): Promise<Json> =>
    db.transact(async (tx) => {
      const { id } = await work(tx)
      return (await views.groups.one(id, shape, tx)) ?? {}
    })

  return {
    get: async (id: string, shape: Shape): Promise<Json> =>
      (await views.groups.one(id, shape)) ?? fail("not_found", `Group ${id} not found.`),

    create: (actor: Actor, body: unknown, shape: Shape): Promise<Json> => {
      const ignored = createIgnored()
      const values = readResource(groupType, body, ignored)
      const given = { profile: profileOf(values), members: idsIn(values) }
      const order = orderOf(actor, { action: "scim.group.created", status: 201 }, ignored)
      return write((tx) => groups.create(tx, order, given), shape)
    },

    /** Members are unchanged if `members` is absent. */
    replace: (actor: Actor, id: string, body: unknown, shape: Shape): Promise<Json> => {
      const ignored = createIgnored()
      const values = readResource(groupType, body, ignored)
      const profile = profileOf(values)
      const members = values.has("members") ? idsIn(values) : null
      const order = orderOf(actor, { action: "scim.group.replaced", status: 200 }, ignored)
      return write(
        (tx) =>
          groups.change(tx, order, id, async (_, membership) => {
            if (members) await membership.replace(members)
            return profile
          }),
        shape,
      )
    },

    patch: (actor: Actor, id: string, body: unknown, shape: Shape): Promise<Json> => {
      const ignored = createIgnored()
      const operations = readPatch(groupType, body, ignored)
      const order = orderOf(actor, { action: "scim.group.patched", status: 200 }, ignored)
      return write(
        (tx) =>
          groups.change(tx, order, id, async (group, membership) => {
            const place = { tx, groupId: id, base: shape.base }
            const ofMembers = operations.filter(isMembers)
            await patchMembers(ofMembers, { place, membership, ignored })
            const values: Values = new Map()
            values.set("displayName", group.name)
            values.set("externalId", group.external_id)
            for (const operation of operations) {
              if (!isMembers(operation)) applyOperation(values, operation, ignored)
            }
            return profileOf(values)
          }),
        shape,
      )
    },

    remove: (actor: Actor, id: string): Promise<void> => {
      const order = orderOf(actor, { action: "scim.group.deleted", status: 204 }, createIgnored())
      return db.transact((tx) => groups.remove(tx, order, id))
    },
  }
}

export type ScimGroups = ReturnType<typeof createScimGroups>
