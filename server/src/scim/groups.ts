import {
  type AttributeValues,
  applyPatchOperation,
  failScim,
  IgnoredAttributes,
  type PatchOperation,
  parsePatch,
  parseResource,
} from "@portico/scim"
import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import {
  type GroupChangePolicy,
  type GroupWriter,
  groupLock,
  type MembershipEditor,
} from "../groups/group-writer.ts"
import type { StoredGroup } from "../groups/store.ts"
import type { ProvisioningRecord } from "../users/provisioned-users.ts"
import { parseMemberIds, patchMembers } from "./member-patch.ts"
import { createResourceWriter, type ResourceOperations, type ResourceView } from "./resource.ts"
import { groupType, membersAttribute } from "./resource-types.ts"

const maxNameLength = 200

export interface ScimGroupsDeps {
  db: Database
  groups: GroupWriter
  view: ResourceView
  newId: () => string
  nowMs: () => number
}

/** A group's attributes managed by an identity provider, except its members. */
type GroupProfile = Pick<StoredGroup, "name" | "external_id">

interface GroupUpdate {
  before: StoredGroup
  profile: GroupProfile
  members: MembershipEditor
}

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

const targetsMembers = ({ target }: PatchOperation): boolean =>
  target.attribute === membersAttribute

const removesMembers = (operation: PatchOperation): boolean =>
  operation.verb === "remove" && targetsMembers(operation)

/** SCIM groups: the same groups that access grants refer to. */
export const createScimGroups = (deps: ScimGroupsDeps): ResourceOperations => {
  const { db, groups, view, newId, nowMs } = deps
  const change = async (
    tx: Tx,
    record: ProvisioningRecord,
    { before, profile, members }: GroupUpdate,
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

  const write = createResourceWriter(db, view)

  return {
    create: (actor, body, shape) => {
      const ignored = new IgnoredAttributes()
      const values = parseResource(groupType, body, ignored)
      const profile = profileOf(values)
      const memberIds = parseMemberIds(values.get("members"))
      const record = { actor, action: "scim.group.created", status: 201, ignored: ignored.names() }
      return write(
        async (tx) => {
          const at = nowMs()
          const times = { created_ms: at, updated_ms: at }
          const identity = { id: newId(), description: "", source: "scim", pays: true } as const
          const group: StoredGroup = { ...profile, ...identity, ...times }
          const changed = ["name", "external_id"]
          await groups.insertGroup(tx, { group, memberIds }, { ...record, changed, policy })
          return group
        },
        { shape },
      )
    },

    /** Members are unchanged if `members` is absent. */
    replace: (actor, id, body, shape) => {
      const ignored = new IgnoredAttributes()
      const values = parseResource(groupType, body, ignored)
      const profile = profileOf(values)
      const memberIds = values.has("members") ? parseMemberIds(values.get("members")) : null
      const record = { actor, action: "scim.group.replaced", status: 200, ignored: ignored.names() }
      return write(
        async (tx) => {
          const before = await groups.lockGroup(tx, id)
          const members = groups.editMembers(tx, id, policy)
          if (memberIds) await members.replace(memberIds)
          return change(tx, record, { before, profile, members })
        },
        { shape, locks: [groupLock(id)], takesAccess: memberIds?.length === 0 },
      )
    },

    patch: (actor, id, body, shape) => {
      const ignored = new IgnoredAttributes()
      const operations = parsePatch(groupType, body, ignored)
      return write(
        async (tx) => {
          const before = await groups.lockGroup(tx, id)
          const members = groups.editMembers(tx, id, policy)
          const place = { tx, groupId: id, base: shape.base }
          const memberOperations = operations.filter(targetsMembers)
          await patchMembers(memberOperations, { place, membership: members, ignored })
          const values: AttributeValues = new Map()
          values.set("displayName", before.name)
          values.set("externalId", before.external_id)
          for (const operation of operations) {
            if (!targetsMembers(operation)) applyPatchOperation(values, operation, ignored)
          }
          const profile = profileOf(values)
          const action = "scim.group.patched"
          const record = { actor, action, status: 200, ignored: ignored.names() }
          return change(tx, record, { before, profile, members })
        },
        { shape, locks: [groupLock(id)], takesAccess: operations.every(removesMembers) },
      )
    },

    remove: (actor, id) =>
      db.essential.transactLocked([groupLock(id)], async (tx) => {
        await groups.lockGroup(tx, id)
        const record = { actor, action: "scim.group.deleted", status: 204, changed: [] }
        await groups.removeGroup(tx, id, record)
      }),
  }
}
