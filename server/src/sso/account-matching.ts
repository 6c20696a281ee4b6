import type { OidcProvider } from "../config/oidc-config.ts"
import type { Tx } from "../db/database.ts"
import type { IdentityRow } from "../db/sign-on-tables.ts"
import { Failure } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import type { UserStore } from "../users/store.ts"
import type { StoredUser } from "../users/user-rows.ts"
import type { Users } from "../users/users.ts"
import type { Person } from "./claims.ts"
import { refuse } from "./refusal.ts"
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

export interface Found {
  user: StoredUser
  /**
   * The existing identity, which may have to be moved to this user; undefined if one must be
   * created.
   */
  identity: IdentityRow | undefined
}

interface Question {
  tx: Tx
  actor: Actor
  person: Person
  provider: OidcProvider
}

const nameOf = ({ name, given_name, family_name, email }: Person): string => {
  const parts = [given_name, family_name].filter(Boolean).join(" ")
  return (name ?? (parts || email || "")).slice(0, 200)
}

/** Name parts from the claims; without them, the full name is split. */
const namesOf = ({ given_name, family_name }: Person) =>
  given_name || family_name ? { given_name, family_name } : {}

/**
 * @throws {Refusal} if the provider is restricted to certain domains and this user's is not among
 * them
 */
export const checkDomain = (person: Person, { allowed_domains }: OidcProvider): void => {
  if (allowed_domains.length === 0) return
  const domain = person.email?.split("@")[1]?.toLowerCase() ?? ""
  if (!person.email) refuse("email_missing")
  if (!person.verified) refuse("email_unverified")
  if (!allowed_domains.includes(domain)) refuse("domain_not_allowed")
}

/**
 * Finds the account for a sign-in: by (issuer, subject), by the claim that equals SCIM's
 * `externalId`, or by a verified e-mail address; otherwise creates one.
 */
export const createResolve = ({ store, users, userStore, signUpIsOpen }: Deps) => {
  const byClaim = async ({ tx, person }: Question): Promise<StoredUser | undefined> => {
    if (person.external_id === null) return undefined
    const all = await userStore.byExternalId(person.external_id, tx)
    const present = all.filter(({ hidden }) => !hidden)
    if (present.length > 1) refuse("ambiguous")
    if (all.length > 0 && present.length === 0) refuse("deactivated", all[0]?.id)
    const user = present[0] && active(present[0])
    // Control over the provider's claims must not grant access to an administrator's account.
    if (user?.role === "admin") refuse("link_needed", user.id)
    return user
  }

  /** The address may since have passed to another person than the one linked to the account. */
  const mayLinkByEmail = async (
    { tx, person, provider }: Question,
    user: StoredUser,
  ): Promise<boolean> => {
    if (!provider.link_email || user.role === "admin") return false
    if (signUpIsOpen() && user.password_hash !== null) return false
    const other = person.external_id !== null && person.external_id !== user.external_id
    if (user.external_id !== null && other) return false
    const ties = await store.identitiesOf(user.id, tx)
    return !ties.some(({ issuer }) => issuer === person.issuer)
  }

  const byEmail = async (question: Question): Promise<StoredUser | undefined> => {
    const { tx, person, provider } = question
    const { email, verified } = person
    if (email === null) return refuse(provider.provision ? "email_missing" : "no_account")
    if (!verified) return refuse("email_unverified")
    const user = await userStore.byEmail(email, tx)
    return user && linkable(question, active(user))
  }

  const linkable = async (question: Question, user: StoredUser): Promise<StoredUser> =>
    (await mayLinkByEmail(question, user)) ? user : refuse("link_needed", user.id)

  const add = async ({ tx, actor, person }: Question, email: string): Promise<StoredUser> => {
    const role = "user" as const
    const account = { email, name: nameOf(person), role, source: "oidc" as const }
    try {
      return await users.add(tx, actor, { ...account, ...namesOf(person) })
    } catch (error) {
      // An account with this address was created concurrently; the next attempt finds it.
      if (error instanceof Failure && error.code === "conflict") return refuse("unavailable")
      throw error
    }
  }

  const provision = async (question: Question): Promise<StoredUser> => {
    const { tx, person, provider } = question
    const { email } = person
    if (!provider.provision || email === null) return refuse("no_account")
    // The first account must be an administrator's, and signing on never creates administrators.
    if (!(await userStore.any(tx))) return refuse("no_administrator")
    if (await userStore.endedWith(email, tx)) return refuse("deactivated")
    return add(question, email)
  }

  return async (question: Question): Promise<Found> => {
    const { tx, person, provider } = question
    checkDomain(person, provider)
    const identity = await store.bySubject(person, tx)
    const tied = identity && (await users.hold(tx, identity.user_id))
    // The address of a hidden account was released, so the same person may have a new account.
    if (tied && !tied.hidden) return { user: active(tied), identity }
    const found = (await byClaim(question)) ?? (await byEmail(question))
    if (found) return { user: active(await users.hold(tx, found.id)), identity }
    if (tied) return refuse("deactivated", tied.id)
    return { user: await provision(question), identity }
  }
}

const active = (user: StoredUser): StoredUser =>
  user.active ? user : refuse("deactivated", user.id)

export type Resolve = ReturnType<typeof createResolve>
