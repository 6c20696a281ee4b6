import { hash } from "node:crypto"
import type { Logger } from "pino"
import type { Audit } from "../audit/audit.ts"
import type { FailureTrail } from "../audit/failed-attempts.ts"
import type { Accounts } from "../auth/accounts.ts"
import type { Device } from "../auth/device.ts"
import type { SignedIn } from "../auth/schema.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import type { IdentityRow } from "../db/sign-on-tables.ts"
import type { Actor, Caller } from "../http/caller.ts"
import type { Secrets } from "../secrets/secrets.ts"
import type { Users } from "../users/users.ts"
import { checkDomain, type Resolve } from "./account-matching.ts"
import type { Flow, Flows } from "./authorization-flow.ts"
import { type Person, personOf } from "./claims.ts"
import { causeInWords } from "./client-errors.ts"
import type { Memberships } from "./group-sync.ts"
import type { Provider } from "./provider.ts"
import { problemOf, Refusal, refuse } from "./refusal.ts"
import type { SignOnProblem } from "./schema.ts"
import type { SignOnStore } from "./store.ts"

interface Deps {
  db: Database
  store: SignOnStore
  users: Users
  accounts: Accounts
  secrets: Secrets
  audit: Audit
  failures: FailureTrail
  bus: Bus
  log: Logger
  flows: Flows
  memberships: Memberships
  resolve: Resolve
  newId: () => string
  now: () => number
}

interface Came {
  provider: Provider
  flow: Flow
  person: Person
  idToken: string
}

/** Signs users in through their identity provider, and links accounts to it. */
export const createSignOn = (deps: Deps) => {
  const { db, store, users, accounts, secrets, audit, failures, bus, log } = deps
  const { flows, memberships, resolve, newId, now } = deps

  /** Each flow can be completed once, across all processes. */
  const spend = async (flow: Flow): Promise<void> => {
    const id = hash("sha256", `flow ${flow.state}`)
    const times = { now: now(), expires: flow.expires_at }
    if (!(await db.transact((tx) => store.spend(tx, id, times)))) refuse("expired")
  }

  const tie = async (
    tx: Tx,
    actor: Actor,
    {
      user,
      identity,
      person,
      provider,
    }: {
      user: { id: string }
      identity: IdentityRow | undefined
      person: Person
      provider: string
    },
  ): Promise<string> => {
    const { issuer, subject, email } = person
    const told = { user_id: user.id, provider, email, last_used_at: now() }
    const linked = identity?.user_id === user.id
    const id = identity?.id ?? newId()
    if (identity) await store.updateIdentity(tx, { ...identity, ...told })
    else await store.insertIdentity(tx, { id, issuer, subject, created_at: now(), ...told })
    if (!linked) {
      const target = { type: "user", id: user.id }
      const after = { provider, subject }
      await audit.record(tx, { actor, action: "identity.linked", target, after })
    }
    return id
  }

  const hold = (tx: Tx, { issuer, subject }: Person): Promise<void> =>
    db.exclusive(tx, `identity ${issuer} ${subject}`)

  const signIn = async (came: Came, device: Device): Promise<SignedIn> => {
    const { person, provider, idToken } = came
    const { settings } = provider
    const actor: Actor = { ...device.actor, type: "system" }
    const { user, opened } = await db.transact(async (tx) => {
      await hold(tx, person)
      const found = await resolve({ tx, actor, person, provider: settings })
      const tied = { ...found, person, provider: settings.name }
      const identity_id = await tie(tx, actor, tied)
      await memberships(tx, actor, found.user.id, person)
      const begun = await accounts.open(tx, found.user, device, { provider: settings.name })
      await store.insertSession(tx, {
        session_id: begun.session,
        identity_id,
        sid: person.sid,
        sealed_id_token: secrets.seal(idToken),
      })
      return { user: found.user, opened: begun }
    })
    return accounts.signedIn(user, opened)
  }

  const link = async (came: Came, caller: Caller | null, actor: Actor): Promise<void> => {
    const { flow, person, provider } = came
    const userId = caller?.user.id
    // The user may have signed out, or switched accounts, in the meantime; do not link the wrong
    // account.
    if (!userId || userId !== flow.user_id) return refuse("session_changed", flow.user_id)
    const by: Actor = { ...actor, type: "user", id: userId }
    checkDomain(person, provider.settings)
    await db.transact(async (tx) => {
      await hold(tx, person)
      const user = await users.hold(tx, userId)
      if (!user.active) refuse("deactivated", userId)
      const identity = await store.bySubject(person, tx)
      if (identity && identity.user_id !== userId) refuse("already_linked", userId)
      await tie(tx, by, { user, identity, person, provider: provider.settings.name })
    })
  }

  return {
    begin: async (provider: Provider, options: Parameters<Flows["begin"]>[1]) => {
      const { flow, cookie } = flows.begin(provider.settings.name, options)
      return { location: await provider.authorizationUrl(flow), cookie }
    },

    /**
     * Completes a flow after the provider's redirect.
     * @param caller returns the signed-in user, when linking
     * @returns the new session; null after linking an account
     * @throws {Refusal}
     */
    finish: async (
      { provider, flow, search }: { provider: Provider; flow: Flow; search: string },
      device: Device,
      caller: () => Promise<Caller | null>,
    ): Promise<SignedIn | null> => {
      await spend(flow)
      const answer = await provider.exchange(search, flow)
      const person = personOf(answer, provider.settings)
      const came = { provider, flow, person, idToken: answer.idToken }
      if (flow.user_id === null) return signIn(came, device)
      await link(came, await caller(), device.actor)
      return null
    },

    /**
     * Records in the audit log and the server log why a sign-in was rejected. @returns the problem
     * to show
     */
    refused: async (error: unknown, provider: string, actor: Actor): Promise<SignOnProblem> => {
      const problem = problemOf(error)
      if (problem === undefined) throw error
      const userId = error instanceof Refusal ? error.userId : null
      const target = userId
        ? { type: "user", id: userId }
        : { type: "provider", id: provider.slice(0, 60) }
      const failure = { actor, action: "sign_on.refused", target, status: 403 }
      const cause = error instanceof Error && error.cause ? causeInWords(error.cause) : undefined
      const { request_id } = actor
      log.warn({ request_id, provider, problem, cause }, "Sign-in rejected")
      await failures
        .record({ ...failure, after: { provider, reason: problem } })
        .catch((reason: unknown) => log.warn({ err: reason }, "Failed to write an audit event"))
      return problem
    },

    /** Ends the session. @returns the URL for ending it at the provider too */
    signOut: async (
      actor: Actor,
      caller: Caller,
      providerNamed: (name: string) => Provider | undefined,
    ): Promise<string | null> => {
      const started = await store.sessionById(caller.credential.id)
      await accounts.signOut(actor, caller)
      const provider = started && providerNamed(started.provider)
      if (!started || !provider) return null
      let idToken: string | null = null
      try {
        idToken = secrets.unseal(started.sealed_id_token)
      } catch {
        // Sealed with another SECRET_KEY; without a hint, the provider asks whom to sign out.
      }
      // Some servers reject longer URLs.
      return provider.endSessionUrl(idToken && idToken.length < 4000 ? idToken : null)
    },

    /** Ends the sessions named in a provider's logout token. @throws {Refusal} */
    endByProvider: async (provider: Provider, token: string, actor: Actor): Promise<void> => {
      const claims = await provider.verifyLogout(token)
      const by: Actor = { ...actor, type: "system" }
      await db.transact(async (tx) => {
        const id = hash("sha256", `logout ${claims.issuer} ${claims.jti}`)
        const times = { now: now(), expires: claims.expires }
        if (!(await store.spend(tx, id, times))) refuse("invalid_answer")
        const named = await store.sessionsNamed(tx, claims)
        for (const { session_id, user_id } of named) {
          await store.endSession(tx, session_id)
          const target = { type: "session", id: session_id }
          const after = { provider: provider.settings.name }
          await audit.record(tx, { actor: by, action: "session.ended", target, after })
          await bus.publish(tx, { topic: "user", id: user_id })
        }
      })
    },
  }
}
