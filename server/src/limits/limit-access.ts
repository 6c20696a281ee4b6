import type { Tx } from "../db/database.ts"
import { fail, failInvalid } from "../errors.ts"
import type { GroupAccess } from "../groups/group-access.ts"
import type { Caller, RefreshCaller } from "../http/caller.ts"
import { translatable } from "../i18n/message.ts"
import type { LimitTarget, NewLimit } from "./schema.ts"
import type { StoredLimit } from "./store.ts"
import type { TargetStore } from "./target-store.ts"

type Authority = Pick<StoredLimit, "set_by" | "group_id">
type IsReadable = (limit: StoredLimit) => boolean

export interface LimitAccessDeps {
  targets: TargetStore
  groupAccess: Pick<GroupAccess, "requireManager">
  refreshCaller: RefreshCaller
}

/**
 * Decides who sets limits: administrators all of them, managers of a group those of its members and
 * service keys, users those of their own keys.
 */
export interface LimitAccess {
  /** Whether the caller sees a limit with its amounts. */
  findReadable(caller: Caller): Promise<IsReadable>
  /** By what authority the caller sets a limit. @throws {Failure} `forbidden`, or `invalid` */
  requireAuthority(
    tx: Tx,
    caller: Caller,
    input: Pick<NewLimit, "target" | "group_id">,
  ): Promise<Authority>
  /** @throws {Failure} `forbidden`, or `not_found` if the caller does not see it either */
  requireRemovable(tx: Tx, caller: Caller, limit: StoredLimit): Promise<void>
  /**
   * Unlike deletion, a change requires that the caller could create the limit now.
   * @throws {Failure} as `requireRemovable`, or `invalid`
   */
  requireChangeable(tx: Tx, caller: Caller, limit: StoredLimit): Promise<void>
}

export const failUnknownLimit = (id: string): never =>
  fail("not_found", `No limit with the ID ${id}.`)

const byAdministrator: Authority = { set_by: "administrator", group_id: null }
const byOwner: Authority = { set_by: "owner", group_id: null }
const failForbidden = (): never => fail("forbidden", translatable("limit_not_yours"))

export const createLimitAccess = (deps: LimitAccessDeps): LimitAccess => {
  const { targets, groupAccess, refreshCaller } = deps

  const findReadable = async ({ user }: Caller, tx?: Tx): Promise<IsReadable> => {
    if (user.role === "admin") return () => true
    const groupIds = await targets.managedGroupIds(user.id, tx)
    const keys = new Set(await targets.keyIdsOf({ userId: user.id, groupIds }, tx))
    const groups = new Set(groupIds)
    return ({ target: { type, id = "" }, group_id }) =>
      (type === "user" && id === user.id) ||
      (type === "key" && keys.has(id)) ||
      (type === "group" && groups.has(id)) ||
      (group_id !== null && groups.has(group_id))
  }

  /** A manager limits members, themselves too, but nobody who has the same power or more. */
  const requireMember = async (
    tx: Tx,
    { user }: Caller,
    { groupId, userId }: { groupId: string; userId: string },
  ): Promise<void> => {
    const member = await targets.findMember(tx, groupId, userId)
    if (!member) return failInvalid("target.id", translatable("limit_target_not_in_group"))
    if (user.role === "admin" || userId === user.id) return
    if (member.isManager || member.isAdministrator)
      fail("forbidden", translatable("limit_of_other_manager"))
  }

  const requireOfGroup = async (
    tx: Tx,
    caller: Caller,
    { groupId, target }: { groupId: string; target: LimitTarget },
  ): Promise<Authority> => {
    await groupAccess.requireManager(caller, groupId, tx)
    const { type, id = "" } = target
    if (type === "user") await requireMember(tx, caller, { groupId, userId: id })
    else if (type !== "key") failInvalid("target", translatable("limit_of_group_target"))
    else if ((await targets.findKeyHolder(tx, id))?.groupId !== groupId)
      failInvalid("target.id", translatable("limit_target_not_in_group"))
    return { set_by: "manager", group_id: groupId }
  }

  const isManaged = async (
    tx: Tx,
    { user }: Caller,
    groupId: string | null | undefined,
  ): Promise<boolean> =>
    groupId != null && (await targets.findMember(tx, groupId, user.id))?.isManager === true

  /** Whether a key exists is not the business of those whose it is not. */
  const requireKey = async (tx: Tx, caller: Caller, target: LimitTarget): Promise<Authority> => {
    const isKey = caller.user.role === "user" && target.type === "key"
    const holder = isKey ? await targets.findKeyHolder(tx, target.id ?? "") : undefined
    if (holder?.userId === caller.user.id) return byOwner
    if (!(holder && (await isManaged(tx, caller, holder.groupId)))) return failForbidden()
    return { set_by: "manager", group_id: holder.groupId }
  }

  const requireRemovable = async (tx: Tx, caller: Caller, limit: StoredLimit): Promise<Caller> => {
    const present = await refreshCaller(tx, caller)
    const { role } = present.user
    if (role === "admin") return present
    const isReadable = await findReadable(present, tx)
    if (role === "pending" || !isReadable(limit)) failUnknownLimit(limit.id)
    // An owner's limit is readable for the owner only.
    if (limit.set_by === "owner") return present
    const isOwn = limit.set_by === "manager" && (await isManaged(tx, present, limit.group_id))
    if (!isOwn) failForbidden()
    return present
  }

  return {
    findReadable: (caller) => findReadable(caller),

    requireAuthority: async (tx, caller, { target, group_id: groupId }) => {
      const present = await refreshCaller(tx, caller)
      if (groupId !== undefined) return requireOfGroup(tx, present, { groupId, target })
      return present.user.role === "admin" ? byAdministrator : requireKey(tx, present, target)
    },

    requireRemovable: async (tx, caller, limit) => {
      await requireRemovable(tx, caller, limit)
    },

    requireChangeable: async (tx, caller, limit) => {
      const present = await requireRemovable(tx, caller, limit)
      const { group_id: groupId, target } = limit
      if (groupId !== null && present.user.role !== "admin")
        await requireOfGroup(tx, present, { groupId, target })
    },
  }
}
