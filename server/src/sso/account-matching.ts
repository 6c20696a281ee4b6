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
  /** While anybody may make an account with any address, an address proves nothing of it. */
  signUpIsOpen: () => boolean
}

export interface Found {
  user: StoredUser
  /** The tie that led here, or that is to be moved; undefined when one is to be made. */
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

/** Without them the whole name is taken apart. */
const namesOf = ({ given_name, family_name }: Person) =>
  given_name || family_name ? { given_name, family_name } : {}

/** @throws {Refusal} when the provider's people must be of certain domains, and this one is not */
export const checkDomain = (person: Person, { allowed_domains }: OidcProvider): void => {
  if (allowed_domains.length === 0) return
  const domain = person.email?.split("@")[1]?.toLowerCase() ?? ""
  if (!person.email) refuse("email_missing")
  if (!person.verified) refuse("email_unverified")
  if (!allowed_domains.includes(domain)) refuse("domain_not_allowed")
}

/**
 * Finds whose sign-in it is: by (issuer, subject), by the claim that equals SCIM's `externalId`,
 * by a verified e-mail; or makes an account.
 */
export const createResolve = ({ store, users, userStore, signUpIsOpen }: Deps) => {
  const byClaim = async ({ tx, person }: Question): Promise<StoredUser | undefined> => {
    if (person.external_id === null) return undefined
    const all = await userStore.byExternalId(person.external_id, tx)
    const present = all.filter(({ hidden }) => !hidden)
    if (present.length > 1) refuse("ambiguous")
    if (all.length > 0 && present.length === 0) refuse("deactivated", all[0]?.id)
    const user = present[0] && active(present[0])
    // Whoever controls the provider's claims must not become an administrator by them.
    if (user?.role === "admin") refuse("link_needed", user.id)
    return user
  }

  /** Who has the address now may be somebody else than who was tied to the account before. */
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
      // Somebody else made one with this e-mail at the same moment: next time it is found.
      if (error instanceof Failure && error.code === "conflict") return refuse("unavailable")
      throw error
    }
  }

  const provision = async (question: Question): Promise<StoredUser> => {
    const { tx, person, provider } = question
    const { email } = person
    if (!provider.provision || email === null) return refuse("no_account")
    // The first account must be an administrator's, and nobody becomes one by signing on.
    if (!(await userStore.any(tx))) return refuse("no_administrator")
    if (await userStore.endedWith(email, tx)) return refuse("deactivated")
    return add(question, email)
  }

  return async (question: Question): Promise<Found> => {
    const { tx, person, provider } = question
    checkDomain(person, provider)
    const identity = await store.bySubject(person, tx)
    const tied = identity && (await users.hold(tx, identity.user_id))
    // SCIM freed the e-mail of a hidden account: the same person may have a new one by now.
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
