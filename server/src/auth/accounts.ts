import type { Audit } from "../audit/audit.ts"
import type { FailureTrail } from "../audit/failed-attempts.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import { foldCase } from "../db/fold-case.ts"
import { maxRows } from "../db/table-limits.ts"
import { fail } from "../errors.ts"
import type { Actor, Caller } from "../http/caller.ts"
import { networkOf } from "../http/client-address.ts"
import { isClockSteady } from "../jobs/clock-watch.ts"
import type { Settings } from "../settings/schema.ts"
import type { SettingsStore } from "../settings/settings.ts"
import { Email, type User } from "../users/schema.ts"
import type { StoredUser } from "../users/user-rows.ts"
import type { Users } from "../users/users.ts"
import type { Device } from "./device.ts"
import type { Passwords } from "./passwords.ts"
import type { PasswordChange, Session, SignedIn, SignIn, SignUp } from "./schema.ts"
import type { Tokens } from "./session-tokens.ts"
import type { SetupCode } from "./setup-code.ts"
import type { AuthStore } from "./store.ts"
import type { Throttle } from "./throttle.ts"

interface Deps {
  db: Database
  store: AuthStore
  users: Users
  passwords: Pick<Passwords, "verify">
  settings: SettingsStore
  audit: Audit
  failures: FailureTrail
  throttle: Throttle
  setupCode: SetupCode
  tokens: Tokens
  bus: Bus
  newId: () => string
  now: () => number
  /** Number of accounts from which sign-up is closed. */
  maxSignups: number
  /** The current password sign-in policy. */
  passwordSignIn: () => Settings["password_sign_in"]
}

/** The session's user. */
type Owner = Pick<User, "id" | "email" | "name" | "role">

interface Opened {
  session: string
  /** Epoch seconds. */
  issued: number
  expires: number
}

const wrongCredentials = (): never =>
  fail("wrong_credentials", "The e-mail address or password is incorrect")

const wrongPresentPassword = (): never => {
  const message = "This is not your current password."
  return fail("invalid", `password: ${message}`, { errors: [{ path: "password", message }] })
}

export const createAccounts = (deps: Deps) => {
  const { db, store, users, settings, audit, failures, throttle, tokens, bus, newId, now } = deps
  const { passwords, passwordSignIn, setupCode } = deps

  /** Creates a session in `tx`; its token is signed after the commit. */
  const open = async (
    tx: Tx,
    user: Owner,
    { actor, address, userAgent }: Device,
    after?: Record<string, unknown>,
  ): Promise<Opened> => {
    const issued = now()
    const expires = issued + settings.current().jwt_expires_in
    const session = newId()
    if (isClockSteady()) await store.dropExpiredSessions(tx, issued)
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

  const signedIn = async (user: Owner, { session, ...times }: Opened): Promise<SignedIn> => {
    const token = await tokens.sign({ user: user.id, session }, times)
    const { id, email, name, role } = user
    return { token, token_type: "Bearer", expires_at: times.expires, id, email, name, role }
  }

  /**
   * @param verified the hash that the password was checked against; a changed password invalidates
   * the sign-in
   */
  const begin = async (
    user: Owner,
    device: Device,
    verified?: string | null,
  ): Promise<SignedIn> => {
    const opened = await db.transact(async (tx) => {
      const present = await users.hold(tx, user.id)
      const outdated = verified !== undefined && present.password_hash !== verified
      if (!present.active || outdated) wrongCredentials()
      return open(tx, user, device)
    })
    return signedIn(user, opened)
  }

  const recordFailure = async (account: string, actor: Actor, status: number): Promise<void> => {
    // People type passwords into the wrong field; the audit log must not store them.
    const id = Email.safeParse(account).success ? account : "(not an e-mail address)"
    const target = { type: "account", id }
    await failures.record({ actor, action: "auth.failed", target, status })
  }

  /**
   * Returned only after the password was verified, or while passwords are off for everyone, so it
   * does not reveal roles.
   */
  const passwordsOff = async (account: string, actor: Actor): Promise<never> => {
    await recordFailure(account, actor, 403)
    return fail(
      "password_sign_in_off",
      "Password sign-in is turned off. Sign in with your identity provider.",
    )
  }

  return {
    open,
    signedIn,

    /** The first account becomes the administrator; later ones require sign-up to be enabled. */
    signUp: async ({ setup_code, ...input }: SignUp, device: Device): Promise<SignedIn> => {
      const { enable_signup, default_user_role } = settings.current()
      if (!(await users.any())) {
        await setupCode.verify(setup_code, device)
        const first = await users.createFirst(device.actor, input)
        if (first) return begin(first, device)
      }
      if (!enable_signup || passwordSignIn() !== "on") {
        fail("signup_disabled", "Sign-up is turned off. Ask an administrator for an account.")
      }
      if ((await users.count()) >= deps.maxSignups) {
        fail(
          "limit_reached",
          "This gateway has reached its limit for sign-ups. Ask an administrator for an account.",
        )
      }
      const own = { ...input, role: default_user_role, source: "local" as const }
      return begin(await users.create(device.actor, own), device)
    },

    signIn: async ({ email, password }: SignIn, device: Device): Promise<SignedIn> => {
      const policy = passwordSignIn()
      const account = foldCase(email.trim())
      if (policy === "off") return passwordsOff(account, device.actor)
      let user: StoredUser | undefined
      const right = await throttle.attempt({ account, address: device.address }, async () => {
        user = await users.forSignIn(account)
        const origin = { kind: "sign-in", key: networkOf(device.address) }
        const matches = await passwords.verify(password, user?.password_hash ?? null, origin)
        return matches && user?.active === true
      })
      if (user && right) {
        const mayNot = policy === "administrators" && user.role !== "admin"
        if (mayNot) return passwordsOff(account, device.actor)
        return begin(user, device, user.password_hash)
      }
      await recordFailure(account, device.actor, 401)
      return wrongCredentials()
    },

    signOut: async (actor: Actor, { user, credential }: Caller): Promise<void> => {
      if (credential.type !== "session")
        fail("bad_request", "An API key has no session to end. Revoke the key instead.")
      await db.transact(async (tx) => {
        await store.endSession(tx, user.id, credential.id)
        const target = { type: "session", id: credential.id }
        await audit.record(tx, { actor, action: "session.ended", target })
        await bus.publish(tx, { topic: "user", id: user.id })
      })
    },

    /** Ends all sessions of the account and starts a new one. */
    changePassword: async (
      caller: Caller,
      { password, new_password }: PasswordChange,
      device: Device,
    ): Promise<SignedIn> => {
      const { email } = caller.user
      const account = foldCase(email)
      let verified: string | null = null
      const right = await throttle.attempt({ account, address: device.address }, async () => {
        verified = (await users.forSignIn(email))?.password_hash ?? null
        const origin = { kind: "change", key: caller.user.id }
        return passwords.verify(password, verified, origin)
      })
      if (!right) {
        await recordFailure(account, device.actor, 422)
        wrongPresentPassword()
      }
      const changes = { password: new_password }
      const user = await users.update(
        device.actor,
        caller.user.id,
        changes,
        async (_tx, present) => {
          // Someone else, such as an administrator, changed the password in the meantime.
          if (!present?.active || present.password_hash !== verified) wrongPresentPassword()
        },
      )
      return begin(user, device)
    },

    sessions: async ({ user, credential }: Caller): Promise<Session[]> =>
      (await store.sessionsOf(user.id))
        .filter(({ expires_at }) => expires_at > now())
        .map(({ user_id, ...session }) => ({ ...session, current: session.id === credential.id })),

    endSession: async (actor: Actor, { user }: Caller, id: string): Promise<void> => {
      await db.transact(async (tx) => {
        if (!(await store.endSession(tx, user.id, id)))
          fail("not_found", `You have no session with the ID ${id}`)
        await audit.record(tx, { actor, action: "session.ended", target: { type: "session", id } })
        await bus.publish(tx, { topic: "user", id: user.id })
      })
    },
  }
}

export type Accounts = ReturnType<typeof createAccounts>
