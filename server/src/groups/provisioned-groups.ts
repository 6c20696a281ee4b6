import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import type { Groups } from "./groups.ts"
import type { GroupStore, StoredGroup } from "./store.ts"

/** A group's attributes managed by an identity provider, except its members. */
export interface GroupProfile {
  name: string
  external_id: string | null
}

/** Audit details of a provisioning request. */
export interface GroupAuditContext {
  actor: Actor
  action: string
  status: number
  ignored: readonly string[]
}

/** Changes members inside a transaction and tracks the additions and removals. */
export interface GroupMembershipEditor {
  /** @throws {Failure} `bad_request` if an id belongs to no account */
  add(userIds: readonly string[]): Promise<void>
  remove(userIds: readonly string[]): Promise<void>
  replace(userIds: readonly string[]): Promise<void>
}

interface Deps {
  store: GroupStore
  groups: Groups
  audit: Audit
  bus: Bus
  newId: () => string
  nowMs: () => number
}

const changedNames = (before: GroupProfile, after: GroupProfile): string[] =>
  (["name", "external_id"] as const).filter((name) => before[name] !== after[name])

const createMembershipEditor = (store: GroupStore, tx: Tx, id: string) => {
  const added = new Set<string>()
  const removed = new Set<string>()

  const add = async (userIds: readonly string[]): Promise<void> => {
    const targetIds = [...new Set(userIds)]
    const known = new Set(await store.existingUserIds(tx, targetIds))
    const unknownId = targetIds.find((userId) => !known.has(userId))
    if (unknownId !== undefined) {
      fail("bad_request", `No user with the ID ${unknownId.slice(0, 200)}`, {
        scimType: "invalidValue",
      })
    }
    for (const userId of await store.addMembers(tx, id, targetIds)) {
      if (!removed.delete(userId)) added.add(userId)
    }
  }

  const remove = async (userIds: readonly string[]): Promise<void> => {
    for (const userId of await store.removeMembers(tx, id, [...new Set(userIds)])) {
      if (!added.delete(userId)) removed.add(userId)
    }
  }

  const replace = async (userIds: readonly string[]): Promise<void> => {
    const targetIds = new Set(userIds)
    const present = await store.memberIds(tx, id)
    await remove(present.filter((userId) => !targetIds.has(userId)))
    await add(userIds)
  }

  const membership: GroupMembershipEditor = { add, remove, replace }
  return { membership, added, removed }
}

/** Groups as created, changed and removed by an identity provider. */
export const createProvisionedGroups = (deps: Deps) => {
  const { store, groups, audit, bus, newId, nowMs } = deps

  const failNameTaken = (name: string): never =>
    fail("conflict", `A group named ${name} already exists`, { scimType: "uniqueness" })

  const record = async (
    tx: Tx,
    { actor, action, status, ignored }: GroupAuditContext,
    {
      id,
      changed,
      added,
      removed,
    }: { id: string; changed: string[]; added: Set<string>; removed: Set<string> },
  ): Promise<void> => {
    const hasMemberChanges = added.size + removed.size > 0
    await audit.record(tx, {
      actor,
      action,
      target: { type: "group", id },
      changed: hasMemberChanges ? [...changed, "members"] : changed,
      ignored,
      ...(hasMemberChanges && { before: { removed: [...removed] }, after: { added: [...added] } }),
      status,
    })
    if (hasMemberChanges) await bus.publish(tx, { topic: "groups" })
  }

  return {
    /** @throws {Failure} `conflict`, or `bad_request` for members without an account */
    create: async (
      tx: Tx,
      auditContext: GroupAuditContext,
      { profile, members }: { profile: GroupProfile; members: readonly string[] },
    ): Promise<StoredGroup> => {
      const at = nowMs()
      const times = { created_ms: at, updated_ms: at }
      const localFields = { id: newId(), description: "", source: "scim" as const }
      const group: StoredGroup = { ...profile, ...localFields, ...times }
      if (!(await store.insert(tx, group))) failNameTaken(group.name)
      const { membership, added, removed } = createMembershipEditor(store, tx, group.id)
      await membership.add(members)
      await record(tx, auditContext, {
        id: group.id,
        changed: ["name", "external_id"],
        added,
        removed,
      })
      return group
    },

    /**
     * `edit` changes the members directly and returns the new profile.
     * @throws {Failure} `not_found`, `conflict`, and any error of `edit`
     */
    change: async (
      tx: Tx,
      auditContext: GroupAuditContext,
      id: string,
      edit: (group: StoredGroup, membership: GroupMembershipEditor) => Promise<GroupProfile>,
    ): Promise<StoredGroup> => {
      const before = await groups.lockGroup(tx, id)
      const { membership, added, removed } = createMembershipEditor(store, tx, id)
      const profile = await edit(before, membership)
      const changed = changedNames(before, profile)
      const isModified = changed.length + added.size + removed.size > 0
      // Once the provider writes to a group, the provider manages it.
      const linked = before.source === "scim" ? [] : ["source"]
      const localFields = { ...profile, source: "scim" as const }
      const after: StoredGroup = {
        ...before,
        ...localFields,
        ...(isModified && { updated_ms: nowMs() }),
      }
      const isSame = !isModified && linked.length === 0
      if (!isSame && !(await store.update(tx, after))) failNameTaken(after.name)
      await record(tx, auditContext, { id, changed: [...changed, ...linked], added, removed })
      return after
    },

    /** @throws {Failure} `not_found` */
    remove: async (tx: Tx, auditContext: GroupAuditContext, id: string): Promise<void> => {
      await groups.lockGroup(tx, id)
      await store.remove(tx, id)
      const none = { changed: [], added: new Set<string>(), removed: new Set<string>() }
      await record(tx, auditContext, { id, ...none })
      await bus.publish(tx, { topic: "groups" })
    },
  }
}

export type ProvisionedGroups = ReturnType<typeof createProvisionedGroups>
