import type { Audit } from "../audit/audit.ts"
import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import { type GroupWriter, groupLock } from "./group-writer.ts"
import type { GroupStore } from "./store.ts"

interface Deps {
  db: Database
  store: GroupStore
  audit: Audit
  groups: Pick<GroupWriter, "lockGroup">
}

/**
 * Members who manage their group. Administrators appoint them, also in groups of the identity
 * provider, which does not know this role; it ends with the membership.
 */
export interface GroupManagers {
  /** @throws {Failure} `conflict` if one of the users is no member */
  appoint(actor: Actor, groupId: string, userIds: readonly string[]): Promise<void>
  dismiss(actor: Actor, groupId: string, userIds: readonly string[]): Promise<void>
}

export const createGroupManagers = ({ db, store, audit, groups }: Deps): GroupManagers => {
  const record = async (
    tx: Tx,
    actor: Actor,
    { id, added, removed }: { id: string; added: readonly string[]; removed: readonly string[] },
  ): Promise<void> => {
    const target = { type: "group", id }
    const details = { changed: ["managers"], before: { removed }, after: { added } }
    await audit.record(tx, { actor, action: "group.managers_changed", target, ...details })
  }

  const requireMembers = async (
    tx: Tx,
    groupId: string,
    userIds: readonly string[],
  ): Promise<void> => {
    const members = new Set(await store.memberIds(tx, groupId))
    const other = userIds.find((id) => !members.has(id))
    if (other !== undefined)
      fail("conflict", `The user ${other} is not a member of the group. Add the user first.`)
  }

  return {
    appoint: (actor, groupId, userIds) =>
      db.transactLocked([groupLock(groupId)], async (tx) => {
        await groups.lockGroup(tx, groupId)
        await requireMembers(tx, groupId, userIds)
        const added = await store.setRole(tx, groupId, userIds, "manager")
        await record(tx, actor, { id: groupId, added, removed: [] })
      }),

    dismiss: (actor, groupId, userIds) =>
      db.essential.transactLocked([groupLock(groupId)], async (tx) => {
        await groups.lockGroup(tx, groupId)
        const removed = await store.setRole(tx, groupId, userIds, "member")
        await record(tx, actor, { id: groupId, added: [], removed })
      }),
  }
}
