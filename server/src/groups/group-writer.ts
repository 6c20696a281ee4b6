import type { Audit, AuditRecord } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import type { GroupStore, StoredGroup } from "./store.ts"

/** Edits the members of a group and collects the accounts that were added and removed. */
export interface MembershipEditor {
  add(userIds: readonly string[]): Promise<void>
  remove(userIds: readonly string[]): Promise<void>
  replace(userIds: readonly string[]): Promise<void>
  readonly added: ReadonlySet<string>
  readonly removed: ReadonlySet<string>
}

/** How the rules for a change depend on who makes it. */
export interface GroupChangePolicy {
  /** Whether a request that changes nothing is audited. */
  auditsUnchanged: boolean
  /** @throws {Failure} always: another group has the name */
  failNameTaken: (name: string) => never
  /** @throws {Failure} always: no account has this id */
  failUnknownMember: (userId: string) => never
}

type GroupRecord = Omit<AuditRecord, "target"> & { policy: GroupChangePolicy }

interface GroupChange {
  /** As locked by the transaction. */
  before: StoredGroup
  after: StoredGroup
  /** The members that the audit event names as added and removed. */
  members: { added: Iterable<string>; removed: Iterable<string> }
}

export interface GroupWriterDeps {
  db: Database
  store: GroupStore
  audit: Audit
  bus: Bus
}

/** Held while a group or its members are changed. */
export const groupLock = (id: string): string => `group ${id}`

const isSame = (before: StoredGroup, after: StoredGroup): boolean =>
  (Object.keys(after) as (keyof StoredGroup)[]).every((name) => before[name] === after[name])

/**
 * Writes groups. Every change passes here, whether an administrator, a sign-on or an identity
 * provider makes it, together with its consequences and its audit event.
 */
export interface GroupWriter {
  editMembers(tx: Tx, id: string, groupChangePolicy: GroupChangePolicy): MembershipEditor
  /** Reads a group and locks it until `tx` ends. @throws {Failure} `not_found` */
  lockGroup(tx: Tx, id: string): Promise<StoredGroup>
  insertGroup(
    tx: Tx,
    options: { group: StoredGroup; memberIds: readonly string[] },
    record: GroupRecord,
  ): Promise<void>
  /** Replaces `before` by `after`; its members were already edited. */
  changeGroup(tx: Tx, groupChange: GroupChange, record: GroupRecord): Promise<void>
  /** Removes a group and revokes its service keys. */
  removeGroup(tx: Tx, id: string, record: Omit<AuditRecord, "target">): Promise<void>
}

export const createGroupWriter = ({ db, store, audit, bus }: GroupWriterDeps): GroupWriter => {
  const editMembers = (
    tx: Tx,
    id: string,
    { failUnknownMember }: GroupChangePolicy,
  ): MembershipEditor => {
    const added = new Set<string>()
    const removed = new Set<string>()

    const add = async (userIds: readonly string[]): Promise<void> => {
      const targetIds = [...new Set(userIds)]
      const known = new Set(await store.existingUserIds(tx, targetIds))
      const unknownId = targetIds.find((userId) => !known.has(userId))
      if (unknownId !== undefined) failUnknownMember(unknownId)
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

    return { add, remove, replace, added, removed }
  }

  const recordChange = async (
    tx: Tx,
    id: string,
    { record, members }: { record: GroupRecord; members: GroupChange["members"] },
  ): Promise<void> => {
    const { policy, ...event } = record
    const [added, removed] = [[...members.added], [...members.removed]]
    const hasMemberChanges = added.length + removed.length > 0
    if (!policy.auditsUnchanged && !hasMemberChanges && !event.changed?.length) return
    await audit.record(tx, {
      ...event,
      target: { type: "group", id },
      ...(hasMemberChanges && {
        changed: [...(event.changed ?? []), "members"],
        before: { removed },
        after: { added },
      }),
    })
    if (hasMemberChanges) await bus.publish(tx, { topic: "groups" })
  }

  const revokeKeys = async (tx: Tx, groupId: string, actor: Actor): Promise<void> => {
    for (const { id, name } of await store.removeKeys(tx, groupId)) {
      const target = { type: "key", id }
      const before = { name, group_id: groupId }
      await audit.record(tx, { actor, action: "key.revoked", target, before })
      // A service key's caller has the key's own id. Unlike `groups`, this ends it for certain, even
      // if the database cannot be asked.
      await bus.publish(tx, { topic: "user", id })
    }
  }

  return {
    editMembers,

    lockGroup: async (tx, id) => {
      await db.acquireLock(tx, groupLock(id))
      return (await store.byIdUncounted(tx, id)) ?? fail("not_found", `No group with the ID ${id}.`)
    },

    insertGroup: async (tx, { group, memberIds }, record) => {
      if (!(await store.insert(tx, group))) record.policy.failNameTaken(group.name)
      const members = editMembers(tx, group.id, record.policy)
      await members.add(memberIds)
      await recordChange(tx, group.id, { record, members })
    },

    changeGroup: async (tx, { before, after, members }, record) => {
      if (!isSame(before, after) && !(await store.update(tx, after)))
        record.policy.failNameTaken(after.name)
      await recordChange(tx, after.id, { record, members })
      // Callers are cached with the group that pays for them.
      if (before.pays !== after.pays) await bus.publish(tx, { topic: "groups" })
    },

    removeGroup: async (tx, id, record) => {
      await revokeKeys(tx, id, record.actor)
      await store.remove(tx, id)
      await audit.record(tx, { ...record, target: { type: "group", id } })
      await bus.publish(tx, { topic: "groups" })
    },
  }
}
