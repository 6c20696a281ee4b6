import type { Tx } from "../db/database.ts"
import type { Groups } from "../groups/groups.ts"
import type { GroupStore } from "../groups/store.ts"
import type { Actor } from "../http/caller.ts"
import type { Person } from "./claims.ts"
import type { SignOnStore } from "./store.ts"

interface Deps {
  store: SignOnStore
  groups: Groups
  groupStore: GroupStore
}

/**
 * Synchronizes an account's group memberships with its provider's groups claim. It only affects
 * existing groups not managed by SCIM, and only removes memberships that a claim created: those set
 * by an administrator remain.
 */
export const createMemberships =
  ({ store, groups, groupStore }: Deps) =>
  async (tx: Tx, actor: Actor, userId: string, { issuer, groups: named }: Person) => {
    if (named === null) return
    const who = { issuer, userId }
    const wanted = named.length === 0 ? [] : await groupStore.ownByName(tx, named)
    const held = await store.membershipsOf(tx, who)
    const gone = held.filter((id) => !wanted.includes(id))
    const leave = await store.dropMemberships(tx, who, gone)
    const join = wanted.filter((id) => !held.includes(id))
    if (join.length + leave.length === 0) return
    const joined = await groups.moveMember(tx, actor, userId, { join, leave })
    await store.addMemberships(tx, who, joined)
  }

export type Memberships = ReturnType<typeof createMemberships>
