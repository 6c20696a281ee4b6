import {
  type AttributeValues,
  applyOperation,
  createIgnoredNames,
  failScim,
  findAttribute,
  parsePatch,
  parseResource,
  type ScimJson,
} from "@portico/scim"
import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { GroupChangePolicy, GroupWriter, MembershipEditor } from "../groups/change-group.ts"
import type { StoredGroup } from "../groups/store.ts"
import type { Actor } from "../http/caller.ts"
import type { ProvisioningRecord } from "../users/provisioned-users.ts"
import { parseMemberIds, patchMembers } from "./member-patch.ts"
import { groupType } from "./resource-types.ts"
import type { ResourceViews, ResponseShape } from "./resource-view.ts"

const maxNameLength = 200

interface Deps {
  db: Database
  groups: GroupWriter
  views: ResourceViews
  newId: () => string
  nowMs: () => number
}

/** A group's attributes managed by an identity provider, except its members. */
type GroupProfile = Pick<StoredGroup, "name" | "external_id">

const policy: GroupChangePolicy = {
  auditsUnchanged: true,
  failNameTaken: (name) =>
    fail("conflict", `A group named ${name} already exists`, { scimType: "uniqueness" }),
  failUnknownMember: (userId) =>
    failScim("invalidValue", `No user with the ID ${userId.slice(0, 200)}`),
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
export const createScimGroups = ({ db, groups, views, newId, nowMs }: Deps) => {
  const change = async (
    tx: Tx,
    record: ProvisioningRecord,
    {
      before,
      profile,
      members,
    }: { before: StoredGroup; profile: GroupProfile; members: MembershipEditor },
  ): Promise<StoredGroup> => {
    const changed: string[] = (["name", "external_id"] as const).filter(
      (name) => before[name] !== profile[name],
    )
    const isModified = changed.length + members.added.size + members.removed.size > 0
    // Once the provider writes to a group, the provider manages it.
    if (before.source !== "scim") changed.push("source")
    const times = isModified && { updated_ms: nowMs() }
    const after: StoredGroup = { ...before, ...profile, source: "scim", ...times }
    await groups.changeGroup(tx, { before, after, members }, { ...record, changed, policy })
    return after
  }

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
      const profile = profileOf(values)
      const memberIds = memberIdsIn(values)
      const record = { actor, action: "scim.group.created", status: 201, ignored: ignored.names() }
      return write(async (tx) => {
        const at = nowMs()
        const times = { created_ms: at, updated_ms: at }
        const identity = { id: newId(), description: "", source: "scim" } as const
        const group: StoredGroup = { ...profile, ...identity, ...times }
        const changed = ["name", "external_id"]
        await groups.insertGroup(tx, { group, memberIds }, { ...record, changed, policy })
        return group
      }, shape)
    },

    /** Members are unchanged if `members` is absent. */
    replace: (actor: Actor, id: string, body: unknown, shape: ResponseShape): Promise<ScimJson> => {
      const ignored = createIgnoredNames()
      const values = parseResource(groupType, body, ignored)
      const profile = profileOf(values)
      const memberIds = values.has("members") ? memberIdsIn(values) : null
      const record = { actor, action: "scim.group.replaced", status: 200, ignored: ignored.names() }
      return write(async (tx) => {
        const before = await groups.lockGroup(tx, id)
        const members = groups.editMembers(tx, id, policy)
        if (memberIds) await members.replace(memberIds)
        return change(tx, record, { before, profile, members })
      }, shape)
    },

    patch: (actor: Actor, id: string, body: unknown, shape: ResponseShape): Promise<ScimJson> => {
      const ignored = createIgnoredNames()
      const operations = parsePatch(groupType, body, ignored)
      return write(async (tx) => {
        const before = await groups.lockGroup(tx, id)
        const members = groups.editMembers(tx, id, policy)
        const place = { tx, groupId: id, base: shape.base }
        const memberOperations = operations.filter(targetsMembers)
        await patchMembers(memberOperations, { place, membership: members, ignored })
        const values: AttributeValues = new Map()
        values.set("displayName", before.name)
        values.set("externalId", before.external_id)
        for (const operation of operations) {
          if (!targetsMembers(operation)) applyOperation(values, operation, ignored)
        }
        const profile = profileOf(values)
        const record = {
          actor,
          action: "scim.group.patched",
          status: 200,
          ignored: ignored.names(),
        }
        return change(tx, record, { before, profile, members })
      }, shape)
    },

    remove: (actor: Actor, id: string): Promise<void> =>
      db.transact(async (tx) => {
        await groups.lockGroup(tx, id)
        const record = { actor, action: "scim.group.deleted", status: 204, changed: [] }
        await groups.removeGroup(tx, id, record)
      }),
  }
}

export type ScimGroups = ReturnType<typeof createScimGroups>
