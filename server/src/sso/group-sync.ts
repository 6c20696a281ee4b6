import type { Tx } from "../db/database.ts"
import type { Groups } from "../groups/groups.ts"
import type { GroupStore } from "../groups/store.ts"
import type { Actor } from "../http/caller.ts"
import type { SignOnIdentity } from "./parse-sign-on-identity.ts"
import type { SignOnStore } from "./store.ts"

export interface GroupSyncDeps {
  store: SignOnStore
  groups: Groups
  groupStore: GroupStore
}

/**
 * Synchronizes an account's group memberships with its provider's groups claim. It only affects
 * existing groups not managed by SCIM, and only removes memberships that a claim created: those set
 * by an administrator remain.
 */
export const createGroupSync =
  ({ store, groups, groupStore }: GroupSyncDeps) =>
  async (tx: Tx, actor: Actor, userId: string, { issuer, groups: named }: SignOnIdentity) => {
    if (named === null) return
    const membershipKey = { issuer, userId }
    const targetIds = named.length === 0 ? [] : await groupStore.localIdsByName(tx, named)
    const currentIds = await store.membershipsOf(tx, membershipKey)
    const removedIds = currentIds.filter((id) => !targetIds.includes(id))
    const leave = await store.dropMemberships(tx, membershipKey, removedIds)
    const join = targetIds.filter((id) => !currentIds.includes(id))
    if (join.length + leave.length === 0) return
    const joined = await groups.changeMembershipsOf(tx, actor, userId, { join, leave })
    await store.addMemberships(tx, membershipKey, joined)
  }

export type SyncGroups = ReturnType<typeof createGroupSync>
