import type { Audit } from "../audit/audit.ts"
import type { FailedAttemptRecorder } from "../audit/failed-attempt-recorder.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import { foldCase } from "../db/fold-case.ts"
import { maxRows } from "../db/max-rows.ts"
import { fail, failInvalid } from "../errors.ts"
import type { Actor, Caller } from "../http/caller.ts"
import { networkOf } from "../http/client-address.ts"
import { translatable } from "../i18n/message.ts"
import type { Settings } from "../settings/schema.ts"
import type { SettingsStore } from "../settings/settings.ts"
import { EmailAddress, type User } from "../users/schema.ts"
import { userLock } from "../users/user-lock.ts"
import type { StoredUser } from "../users/user-rows.ts"
import type { Users } from "../users/users.ts"
import type { Passwords } from "./passwords.ts"
import type { PasswordChange, Session, SignedIn, SignIn, SignUp } from "./schema.ts"
import type { SessionTokens } from "./session-tokens.ts"
import type { SetupCode } from "./setup-code.ts"
import type { SignInDevice } from "./sign-in-device.ts"
import type { AuthStore } from "./store.ts"
import type { SignInThrottle } from "./throttle.ts"

interface Deps {
  db: Database
  store: AuthStore
  users: Users
  passwords: Pick<Passwords, "verify">
  settings: SettingsStore
  audit: Audit
  failures: FailedAttemptRecorder
  throttle: SignInThrottle
  setupCode: SetupCode
  tokens: SessionTokens
  bus: Bus
  newId: () => string
  now: () => number
  /** Whether expired sessions may be deleted. */
  isClockTrusted: () => boolean
  /** Number of accounts from which sign-up is closed. */
  maxSignups: number
  /** The current password sign-in policy. */
  passwordSignIn: () => Settings["password_sign_in"]
}

/** The session's user. */
type SessionUser = Pick<User, "id" | "email" | "name" | "role">

interface CreatedSession {
  session: string
  /** Epoch seconds. */
  issued: number
  expires: number
}

const failWrongCredentials = (): never =>
  fail("wrong_credentials", translatable("credentials_wrong"))

const failWrongCurrentPassword = (): never =>
  failInvalid("password", translatable("password_wrong"))

/** Sign-up and sign-in with a password, and the sessions of accounts. */
export interface Accounts {
  /** Creates a session in `tx`; its token is signed after the commit. */
  createSession(
    tx: Tx,
    user: SessionUser,
    device: SignInDevice,
    after?: Record<string, unknown>,
  ): Promise<CreatedSession>
  signSession(user: SessionUser, session: CreatedSession): Promise<SignedIn>
  /** The first account becomes the administrator; later ones require sign-up to be enabled. */
  signUp(input: SignUp, device: SignInDevice): Promise<SignedIn>
  signIn(input: SignIn, device: SignInDevice): Promise<SignedIn>
  signOut(actor: Actor, caller: Caller): Promise<void>
  /** Ends all sessions of the account and starts a new one. */
  changePassword(caller: Caller, passwords: PasswordChange, device: SignInDevice): Promise<SignedIn>
  sessions(caller: Caller): Promise<Session[]>
  endSession(actor: Actor, caller: Caller, id: string): Promise<void>
}

export const createAccounts = (deps: Deps): Accounts => {
  const { db, store, users, settings, audit, failures, throttle, tokens, bus, newId, now } = deps
  const { passwords, passwordSignIn, setupCode } = deps

  const createSession = async (
    tx: Tx,
    user: SessionUser,
    { actor, address, userAgent }: SignInDevice,
    after?: Record<string, unknown>,
  ): Promise<CreatedSession> => {
    const issued = now()
    const expires = issued + settings.current().jwt_expires_in
    const session = newId()
    if (deps.isClockTrusted()) await store.dropExpiredSessions(tx, issued)
    await store.insertSession(tx, {
      id: session,
      user_id: user.id,
      address,
      user_agent: userAgent?.slice(0, 500) ?? null,
      created_at: issued,
      expires_at: expires,
      last_used_at: issued,
    })
    const ended = await store.endOldestSessions(tx, user.id, maxRows.sessionsPerUser)
    if (ended.length > 0) await bus.publish(tx, { topic: "user", id: user.id })
    const target = { type: "session", id: session }
    const by: Actor = { ...actor, type: "user", id: user.id }
    const event = { actor: by, action: "session.created", target, ...(after && { after }) }
    await audit.record(tx, event)
    return { session, issued, expires }
  }

  const signSession = async (
    user: SessionUser,
    { session, ...times }: CreatedSession,
  ): Promise<SignedIn> => {
    const token = await tokens.sign({ user: user.id, session }, times)
    const { id, email, name, role } = user
    return { token, token_type: "Bearer", expires_at: times.expires, id, email, name, role }
  }

  /**
   * @param verified the hash that the password was checked against; a changed password invalidates
   * the sign-in
   */
  const startSession = async (
    user: SessionUser,
    device: SignInDevice,
    verified?: string | null,
  ): Promise<SignedIn> => {
    const created = await db.essential.transactLocked([userLock(user.id)], async (tx) => {
      const currentUser = await users.lockUser(tx, user.id)
      const isOutdated = verified !== undefined && currentUser.password_hash !== verified
      if (!currentUser.active || isOutdated) failWrongCredentials()
      return createSession(tx, user, device)
    })
    return signSession(user, created)
  }

  const recordFailure = async (account: string, actor: Actor, status: number): Promise<void> => {
    // People type passwords into the wrong field; the audit log must not store them.
    const id = EmailAddress.safeParse(account).success ? account : "(not an e-mail address)"
    const target = { type: "account", id }
    await failures.record({ actor, action: "auth.failed", target, status })
  }

  /**
   * Returned only after the password was verified, or while passwords are off for everyone, so it
   * does not reveal roles.
   */
  const failPasswordSignInOff = async (account: string, actor: Actor): Promise<never> => {
    await recordFailure(account, actor, 403)
    return fail("password_sign_in_off", translatable("password_sign_in_off"))
  }

  return {
    createSession,
    signSession,

    signUp: async ({ setup_code, ...input }, device) => {
      const { enable_signup, default_user_role } = settings.current()
      if (!(await users.hasAny())) {
        await setupCode.verify(setup_code, device)
        const first = await users.createFirst(device.actor, input)
        if (first) return startSession(first, device)
      }
      if (!enable_signup || passwordSignIn() !== "on") {
        fail("signup_disabled", translatable("sign_up_off"))
      }
      if ((await users.count()) >= deps.maxSignups) {
        fail("limit_reached", translatable("sign_up_limit_reached"))
      }
      const own = { ...input, role: default_user_role, source: "local" as const }
      return startSession(await users.create(device.actor, own), device)
    },

    signIn: async ({ email, password }, device) => {
      const policy = passwordSignIn()
      const account = foldCase(email.trim())
      if (policy === "off") return failPasswordSignInOff(account, device.actor)
      let user: StoredUser | undefined
      const isCorrect = await throttle.attempt({ account, address: device.address }, async () => {
        user = await users.findForSignIn(account)
        const origin = { kind: "sign-in", key: networkOf(device.address) }
        const matches = await passwords.verify(password, user?.password_hash ?? null, origin)
        return matches && user?.active === true
      })
      if (user && isCorrect) {
        const isForbidden = policy === "administrators" && user.role !== "admin"
        if (isForbidden) return failPasswordSignInOff(account, device.actor)
        return startSession(user, device, user.password_hash)
      }
      await recordFailure(account, device.actor, 401)
      return failWrongCredentials()
    },

    signOut: async (actor, { user, credential }) => {
      if (credential.type !== "session")
        fail("bad_request", "An API key has no session to end. Revoke the key instead.")
      await db.essential.transact(async (tx) => {
        await store.endSession(tx, user.id, credential.id)
        const target = { type: "session", id: credential.id }
        await audit.record(tx, { actor, action: "session.ended", target })
        await bus.publish(tx, { topic: "user", id: user.id })
      })
    },

    changePassword: async (caller, { password, new_password }, device) => {
      const { email } = caller.user
      const account = foldCase(email)
      let verified: string | null = null
      const isCorrect = await throttle.attempt({ account, address: device.address }, async () => {
        verified = (await users.findForSignIn(email))?.password_hash ?? null
        const origin = { kind: "change", key: caller.user.id }
        return passwords.verify(password, verified, origin)
      })
      if (!isCorrect) {
        await recordFailure(account, device.actor, 422)
        failWrongCurrentPassword()
      }
      const changes = { password: new_password }
      const user = await users.update(
        device.actor,
        caller.user.id,
        changes,
        async (_tx, currentUser) => {
          // Someone else, such as an administrator, changed the password in the meantime.
          if (!currentUser?.active || currentUser.password_hash !== verified)
            failWrongCurrentPassword()
        },
      )
      return startSession(user, device)
    },

    sessions: async ({ user, credential }) =>
      (await store.sessionsOf(user.id))
        .filter(({ expires_at }) => expires_at > now())
        .map(({ user_id, ...session }) => ({ ...session, current: session.id === credential.id })),

    endSession: async (actor, { user }, id) => {
      await db.essential.transact(async (tx) => {
        if (!(await store.endSession(tx, user.id, id)))
          fail("not_found", `You have no session with the ID ${id}.`)
        await audit.record(tx, { actor, action: "session.ended", target: { type: "session", id } })
        await bus.publish(tx, { topic: "user", id: user.id })
      })
    },
  }
}
