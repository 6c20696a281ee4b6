import type { OidcProvider } from "../config/oidc-config.ts"
import type { Tx } from "../db/database.ts"
import type { IdentityRow } from "../db/sign-on-tables.ts"
import { Failure } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import type { UserStore } from "../users/store.ts"
import type { StoredUser } from "../users/user-rows.ts"
import type { Users } from "../users/users.ts"
import type { SignOnIdentity } from "./parse-sign-on-identity.ts"
import { refuseSignOn } from "./refusal.ts"
import type { SignOnStore } from "./store.ts"

interface Deps {
  store: SignOnStore
  users: Users
  userStore: UserStore
  /**
   * While sign-up is open, anyone can create an account with any address, so an address proves
   * nothing.
   */
  signUpIsOpen: () => boolean
}

export interface MatchedAccount {
  user: StoredUser
  /**
   * The existing identity, which may have to be moved to this user; undefined if one must be
   * created.
   */
  identity: IdentityRow | undefined
}

interface MatchRequest {
  tx: Tx
  actor: Actor
  person: SignOnIdentity
  provider: OidcProvider
}

const displayNameOf = ({ name, given_name, family_name, email }: SignOnIdentity): string => {
  const parts = [given_name, family_name].filter(Boolean).join(" ")
  return (name ?? (parts || email || "")).slice(0, 200)
}

/** Name parts from the claims; without them, the full name is split. */
const namePartsOf = ({ given_name, family_name }: SignOnIdentity) =>
  given_name || family_name ? { given_name, family_name } : {}

/**
 * @throws {Refusal} if the provider is restricted to certain domains and this user's is not among
 * them
 */
export const requireAllowedDomain = (
  person: SignOnIdentity,
  { allowed_domains }: OidcProvider,
): void => {
  if (allowed_domains.length === 0) return
  const domain = person.email?.split("@")[1]?.toLowerCase() ?? ""
  if (!person.email) refuseSignOn("email_missing")
  if (!person.verified) refuseSignOn("email_unverified")
  if (!allowed_domains.includes(domain)) refuseSignOn("domain_not_allowed")
}

/**
 * Finds the account for a sign-in: by (issuer, subject), by the claim that equals SCIM's
 * `externalId`, or by a verified e-mail address; otherwise creates one.
 */
export const createAccountMatcher = ({ store, users, userStore, signUpIsOpen }: Deps) => {
  const findByClaim = async ({ tx, person }: MatchRequest): Promise<StoredUser | undefined> => {
    if (person.external_id === null) return undefined
    const all = await userStore.byExternalId(person.external_id, tx)
    const present = all.filter(({ hidden }) => !hidden)
    if (present.length > 1) refuseSignOn("ambiguous")
    if (all.length > 0 && present.length === 0) refuseSignOn("deactivated", all[0]?.id)
    const user = present[0] && requireActive(present[0])
    // Control over the provider's claims must not grant access to an administrator's account.
    if (user?.role === "admin") refuseSignOn("link_needed", user.id)
    return user
  }

  /** The address may since have passed to another person than the one linked to the account. */
  const mayLinkByEmail = async (
    { tx, person, provider }: MatchRequest,
    user: StoredUser,
  ): Promise<boolean> => {
    if (!provider.link_email || user.role === "admin") return false
    if (signUpIsOpen() && user.password_hash !== null) return false
    const other = person.external_id !== null && person.external_id !== user.external_id
    if (user.external_id !== null && other) return false
    const identities = await store.identitiesOf(user.id, tx)
    return !identities.some(({ issuer }) => issuer === person.issuer)
  }

  const findByEmail = async (request: MatchRequest): Promise<StoredUser | undefined> => {
    const { tx, person, provider } = request
    const { email, verified } = person
    if (email === null) return refuseSignOn(provider.provision ? "email_missing" : "no_account")
    if (!verified) return refuseSignOn("email_unverified")
    const user = await userStore.byEmail(email, tx)
    return user && requireLinkable(request, requireActive(user))
  }

  const requireLinkable = async (request: MatchRequest, user: StoredUser): Promise<StoredUser> =>
    (await mayLinkByEmail(request, user)) ? user : refuseSignOn("link_needed", user.id)

  const createAccount = async (
    { tx, actor, person }: MatchRequest,
    email: string,
  ): Promise<StoredUser> => {
    const role = "user" as const
    const account = { email, name: displayNameOf(person), role, source: "oidc" as const }
    const user = await users.prepareUser(actor, { ...account, ...namePartsOf(person) })
    try {
      await users.insertPrepared(tx, actor, user)
      return user
    } catch (error) {
      // An account with this address was created concurrently; the next attempt finds it.
      if (error instanceof Failure && error.code === "conflict") return refuseSignOn("unavailable")
      throw error
    }
  }

  const provision = async (request: MatchRequest): Promise<StoredUser> => {
    const { tx, person, provider } = request
    const { email } = person
    if (!provider.provision || email === null) return refuseSignOn("no_account")
    // The first account must be an administrator's, and signing on never creates administrators.
    if (!(await userStore.hasAny(tx))) return refuseSignOn("no_administrator")
    if (await userStore.wasDeletedWithEmail(email, tx)) return refuseSignOn("deactivated")
    return createAccount(request, email)
  }

  return async (request: MatchRequest): Promise<MatchedAccount> => {
    const { tx, person, provider } = request
    requireAllowedDomain(person, provider)
    const identity = await store.bySubject(person, tx)
    const linkedUser = identity && (await users.lockUser(tx, identity.user_id))
    // The address of a hidden account was released, so the same person may have a new account.
    if (linkedUser && !linkedUser.hidden) return { user: requireActive(linkedUser), identity }
    const found = (await findByClaim(request)) ?? (await findByEmail(request))
    if (found) return { user: requireActive(await users.lockUser(tx, found.id)), identity }
    if (linkedUser) return refuseSignOn("deactivated", linkedUser.id)
    return { user: await provision(request), identity }
  }
}

const requireActive = (user: StoredUser): StoredUser =>
  user.active ? user : refuseSignOn("deactivated", user.id)

export type MatchAccount = ReturnType<typeof createAccountMatcher>
