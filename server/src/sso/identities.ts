import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { OidcProvider } from "../config/oidc-config.ts"
import type { Database, Tx } from "../db/database.ts"
import type { IdentityRow } from "../db/sign-on-tables.ts"
import { fail } from "../errors.ts"
import type { Groups } from "../groups/groups.ts"
import type { Actor, Caller } from "../http/caller.ts"
import type { Settings } from "../settings/schema.ts"
import type { UserStore } from "../users/store.ts"
import type { StoredUser } from "../users/user-rows.ts"
import type { Users } from "../users/users.ts"
import type { Identities, Identity } from "./schema.ts"
import type { SignOnStore } from "./store.ts"

export interface IdentitiesDeps {
  db: Database
  store: SignOnStore
  users: Users
  userStore: UserStore
  groups: Groups
  audit: Audit
  bus: Bus
  providers: readonly OidcProvider[]
  passwordSignIn: () => Settings["password_sign_in"]
}

/** Links between providers' identities and our accounts. */
export const createIdentities = (deps: IdentitiesDeps) => {
  const { db, store, users, userStore, groups, audit, bus, providers, passwordSignIn } = deps

  const toIdentity = ({ user_id, ...identity }: IdentityRow): Identity => ({
    ...identity,
    label: providers.find(({ name }) => name === identity.provider)?.label ?? identity.provider,
  })

  /** Whether the user can sign in with a password. */
  const hasPassword = ({ password_hash, role }: StoredUser): boolean => {
    const policy = passwordSignIn()
    const isPasswordAllowed = policy === "on" || (policy === "administrators" && role === "admin")
    return password_hash !== null && isPasswordAllowed
  }

  /**
   * Removes the memberships that the identity's claims created, unless another identity of the same
   * provider remains.
   */
  const leaveGroups = async (tx: Tx, actor: Actor, identity: IdentityRow): Promise<void> => {
    const { issuer, user_id: userId } = identity
    const identities = await store.identitiesOf(userId, tx)
    if (identities.some((other) => other.issuer === issuer)) return
    const groupIds = await store.membershipsOf(tx, { issuer, userId })
    const leave = await store.dropMemberships(tx, { issuer, userId }, groupIds)
    if (leave.length > 0) await groups.changeMembershipsOf(tx, actor, userId, { join: [], leave })
  }

  const remove = async (
    actor: Actor,
    { userId, id }: { userId: string; id: string },
    own?: Caller,
  ): Promise<void> => {
    await db.essential.transact(async (tx) => {
      const user = await users.lockUser(tx, userId)
      const identities = await store.identitiesOf(userId, tx)
      const found = identities.find((other) => other.id === id)
      if (!found) return fail("not_found", `No linked identity with the ID ${id}`)
      if (own && identities.length === 1 && !hasPassword(user)) {
        fail("conflict", "This is the only way to sign in to your account. Set a password first.")
      }
      await store.endSessionsOf(tx, id, own?.credential.id ?? null)
      await store.removeIdentity(tx, userId, id)
      const { provider, subject } = found
      await audit.record(tx, {
        actor,
        action: "identity.unlinked",
        target: { type: "user", id: userId },
        before: { provider, subject },
      })
      await leaveGroups(tx, actor, found)
      await bus.publish(tx, { topic: "user", id: userId })
    })
  }

  return {
    list: async (userId: string): Promise<Identities> => {
      const user = await userStore.byId(userId)
      if (!user) return fail("not_found", `No user with the ID ${userId}`)
      const items = (await store.identitiesOf(userId)).map(toIdentity)
      return { items, has_password: hasPassword(user) }
    },
    remove,
  }
}
