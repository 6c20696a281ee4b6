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
 * Puts an account into the groups that its provider names, and out of those it no longer does.
 * Only groups that are there, that SCIM does not keep, and only memberships that a claim made:
 * what an administrator decided stays.
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
