import { hash } from "node:crypto"
import type { Logger } from "pino"
import type { Audit } from "../audit/audit.ts"
import type { FailedAttemptRecorder } from "../audit/failed-attempt-recorder.ts"
import type { Accounts } from "../auth/accounts.ts"
import type { SignedIn } from "../auth/schema.ts"
import type { SignInDevice } from "../auth/sign-in-device.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import type { Actor, Caller } from "../http/caller.ts"
import type { Secrets } from "../secrets/secrets.ts"
import type { Users } from "../users/users.ts"
import { type MatchAccount, type MatchedAccount, requireAllowedDomain } from "./account-matching.ts"
import type { SignOnFlow, SignOnFlows } from "./authorization-flow.ts"
import type { SyncGroups } from "./group-sync.ts"
import { summarizeError } from "./openid-errors.ts"
import { parseSignOnIdentity, type SignOnIdentity } from "./parse-sign-on-identity.ts"
import type { SignOnProviderClient } from "./provider-client.ts"
import { refuseSignOn, SignOnRefusal, signOnProblemOf } from "./refusal.ts"
import type { SignOnProblem } from "./schema.ts"
import type { SignOnStore } from "./store.ts"

export interface SignOnDeps {
  db: Database
  store: SignOnStore
  users: Users
  accounts: Accounts
  secrets: Secrets
  audit: Audit
  failures: FailedAttemptRecorder
  bus: Bus
  log: Logger
  flows: SignOnFlows
  memberships: SyncGroups
  resolve: MatchAccount
  newId: () => string
  now: () => number
}

interface LinkInput extends MatchedAccount {
  person: SignOnIdentity
  provider: string
}

interface StartedFlow {
  provider: SignOnProviderClient
  flow: SignOnFlow
}

interface CompletedFlow extends StartedFlow {
  person: SignOnIdentity
  idToken: string
}

/** Signs users in through their identity provider, and links accounts to it. */
export const createSignOn = (deps: SignOnDeps) => {
  const { db, store, users, accounts, secrets, audit, failures, bus, log } = deps
  const { flows, memberships, resolve, newId, now } = deps

  /** Each flow can be completed once, across all processes. */
  const consumeFlow = async (flow: SignOnFlow): Promise<void> => {
    const id = hash("sha256", `flow ${flow.state}`)
    const times = { now: now(), expires: flow.expires_at }
    if (!(await db.essential.transact((tx) => store.consumeOnce(tx, id, times))))
      refuseSignOn("expired")
  }

  const linkIdentity = async (
    tx: Tx,
    actor: Actor,
    { user, identity, person, provider }: LinkInput,
  ): Promise<string> => {
    const { issuer, subject, email } = person
    const fields = { user_id: user.id, provider, email, last_used_at: now() }
    const isAlreadyLinked = identity?.user_id === user.id
    const id = identity?.id ?? newId()
    if (identity) await store.updateIdentity(tx, { ...identity, ...fields })
    else await store.insertIdentity(tx, { id, issuer, subject, created_at: now(), ...fields })
    if (!isAlreadyLinked) {
      const target = { type: "user", id: user.id }
      const after = { provider, subject }
      await audit.record(tx, { actor, action: "identity.linked", target, after })
    }
    return id
  }

  const lockOf = ({ issuer, subject }: SignOnIdentity): string => `identity ${issuer} ${subject}`

  const signIn = async (completed: CompletedFlow, device: SignInDevice): Promise<SignedIn> => {
    const { person, provider, idToken } = completed
    const { settings } = provider
    const actor: Actor = { ...device.actor, type: "system" }
    const { user, opened } = await db.essential.transactLocked([lockOf(person)], async (tx) => {
      const found = await resolve({ tx, actor, person, provider: settings })
      const linkInput = { ...found, person, provider: settings.name }
      const identity_id = await linkIdentity(tx, actor, linkInput)
      await memberships(tx, actor, found.user.id, person)
      const session = await accounts.createSession(tx, found.user, device, {
        provider: settings.name,
      })
      await store.insertSession(tx, {
        session_id: session.session,
        identity_id,
        sid: person.sid,
        sealed_id_token: secrets.seal(idToken),
      })
      return { user: found.user, opened: session }
    })
    return accounts.signSession(user, opened)
  }

  const link = async (
    completed: CompletedFlow,
    caller: Caller | null,
    actor: Actor,
  ): Promise<void> => {
    const { flow, person, provider } = completed
    const userId = caller?.user.id
    // The user may have signed out, or switched accounts, in the meantime; do not link the wrong
    // account.
    if (!userId || userId !== flow.user_id) return refuseSignOn("session_changed", flow.user_id)
    const by: Actor = { ...actor, type: "user", id: userId }
    requireAllowedDomain(person, provider.settings)
    await db.transactLocked([lockOf(person)], async (tx) => {
      const user = await users.lockUser(tx, userId)
      if (!user.active) refuseSignOn("deactivated", userId)
      const identity = await store.bySubject(person, tx)
      if (identity && identity.user_id !== userId) refuseSignOn("already_linked", userId)
      await linkIdentity(tx, by, { user, identity, person, provider: provider.settings.name })
    })
  }

  return {
    start: async (provider: SignOnProviderClient, options: Parameters<SignOnFlows["start"]>[1]) => {
      const { flow, cookie } = flows.start(provider.settings.name, options)
      return { location: await provider.authorizationUrl(flow), cookie }
    },

    /**
     * Completes a flow after the provider's redirect.
     * @param caller returns the signed-in user, when linking
     * @returns the new session; null after linking an account
     * @throws {SignOnRefusal}
     */
    finish: async (
      { provider, flow, search }: StartedFlow & { search: string },
      device: SignInDevice,
      caller: () => Promise<Caller | null>,
    ): Promise<SignedIn | null> => {
      await consumeFlow(flow)
      const answer = await provider.exchangeCode(search, flow)
      const person = parseSignOnIdentity(answer, provider.settings)
      if (person.unreadable_groups !== null) {
        const { name, groups_claim: claim } = provider.settings
        const fields = { request_id: device.actor.request_id, provider: name, claim }
        log.warn({ ...fields, shape: person.unreadable_groups }, "Groups claim not readable")
      }
      const completed = { provider, flow, person, idToken: answer.idToken }
      if (flow.user_id === null) return signIn(completed, device)
      await link(completed, await caller(), device.actor)
      return null
    },

    /**
     * Records in the audit log and the server log why a sign-in was rejected. @returns the problem
     * to show
     */
    recordRefusal: async (
      error: unknown,
      provider: string,
      actor: Actor,
    ): Promise<SignOnProblem> => {
      const problem = signOnProblemOf(error)
      if (problem === undefined) throw error
      const userId = error instanceof SignOnRefusal ? error.userId : null
      const target = userId
        ? { type: "user", id: userId }
        : { type: "provider", id: provider.slice(0, 60) }
      const failure = { actor, action: "sign_on.refused", target, status: 403 }
      const cause = error instanceof Error && error.cause ? summarizeError(error.cause) : undefined
      const { request_id } = actor
      log.warn({ request_id, provider, problem, cause }, "Sign-in rejected")
      await failures.recordInBackground({ ...failure, after: { provider, reason: problem } })
      return problem
    },

    /** Ends the session. @returns the URL for ending it at the provider too */
    signOut: async (
      actor: Actor,
      caller: Caller,
      providerNamed: (name: string) => SignOnProviderClient | undefined,
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

    /** Ends the sessions named in a provider's logout token. @throws {SignOnRefusal} */
    endByProvider: async (
      provider: SignOnProviderClient,
      token: string,
      actor: Actor,
    ): Promise<void> => {
      const claims = await provider.verifyLogout(token)
      const by: Actor = { ...actor, type: "system" }
      await db.essential.transact(async (tx) => {
        const id = hash("sha256", `logout ${claims.issuer} ${claims.jti}`)
        const times = { now: now(), expires: claims.expires }
        if (!(await store.consumeOnce(tx, id, times))) refuseSignOn("invalid_answer")
        const sessions = await store.sessionsForLogout(tx, claims)
        for (const { session_id, user_id } of sessions) {
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
