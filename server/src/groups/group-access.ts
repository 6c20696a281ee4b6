import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Caller, RefreshCaller } from "../http/caller.ts"
import { translatable } from "../i18n/message.ts"
import type { GroupStore } from "./store.ts"

export interface GroupAccessDeps {
  db: Pick<Database, "read">
  store: Pick<GroupStore, "exists" | "managersAmong" | "memberIds">
  refreshCaller: RefreshCaller
}

/** Decides who manages groups: administrators all of them, managers their own. */
export interface GroupAccess {
  /**
   * @param tx reads the caller's role anew, so that it holds when the change is committed
   * @throws {Failure} `forbidden`, or `not_found` for administrators if there is no such group
   */
  requireManager(caller: Caller, groupId: string, tx?: Tx): Promise<void>
  /**
   * Managers add accounts by their email addresses, which they must know already: the list of members
   * shows the names and addresses of all that are added.
   * @throws {Failure} `forbidden` if one of `userIds` is not a member yet
   */
  requireAddable(caller: Caller, groupId: string, userIds: readonly string[], tx: Tx): Promise<void>
  /**
   * Members may be removed by any manager of the group, its managers by administrators only.
   * @throws {Failure} `forbidden`
   */
  requireRemovable(
    caller: Caller,
    groupId: string,
    userIds: readonly string[],
    tx: Tx,
  ): Promise<void>
}

export const createGroupAccess = ({ db, store, refreshCaller }: GroupAccessDeps): GroupAccess => ({
  requireManager: async (caller, groupId, tx) => {
    const { user } = tx ? await refreshCaller(tx, caller) : caller
    const reader = tx ?? db.read
    if (user.role === "admin") {
      if (!(await store.exists(groupId, reader)))
        fail("not_found", `No group with the ID ${groupId}.`)
      return
    }
    // The account may have been set back to pending since the request was authorized.
    if (user.role === "pending") fail("forbidden", translatable("account_pending"))
    const managers = await store.managersAmong(groupId, [user.id], reader)
    if (managers.length === 0) fail("forbidden", translatable("group_manager_required"))
  },

  requireAddable: async (caller, groupId, userIds, tx) => {
    const { user } = await refreshCaller(tx, caller)
    if (user.role === "admin" || userIds.length === 0) return
    const members = new Set(await store.memberIds(tx, groupId))
    if (!userIds.every((id) => members.has(id)))
      fail("forbidden", translatable("group_manager_adds_by_email"))
  },

  requireRemovable: async (caller, groupId, userIds, tx) => {
    const { user } = await refreshCaller(tx, caller)
    if (user.role === "admin") return
    const others = userIds.filter((id) => id !== user.id)
    const managers = await store.managersAmong(groupId, others, tx)
    if (managers.length > 0) fail("forbidden", translatable("group_manager_not_removable"))
  },
})
