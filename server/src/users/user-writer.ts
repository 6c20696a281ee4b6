import type { Audit, AuditRecord } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import { translatable } from "../i18n/message.ts"
import type { AccountDeletion } from "./account-deletion.ts"
import type { UserEmail } from "./schema.ts"
import type { UserStore } from "./store.ts"
import { userLock } from "./user-lock.ts"
import type { StoredUser } from "./user-rows.ts"

/** A user and all of their e-mail addresses. */
export interface UserWithEmails {
  user: StoredUser
  emails: UserEmail[]
}

type UserAttribute = keyof StoredUser | "emails"

/** How the rules for a change depend on who makes it. */
export interface UserChangePolicy {
  /** Attributes that follow from others, so that the audit event does not name them. */
  derivedAttributes: readonly UserAttribute[]
  /** Whether a request that changes nothing is audited. */
  auditsUnchanged: boolean
  /** Whether the audit event holds both role and status, even if only one of them changed. */
  auditsWholeAccess: boolean
  /** @throws {Failure} always: another account has the e-mail address */
  failEmailTaken: (email: string) => never
}

interface UserChange {
  /** As locked by the transaction. */
  before: UserWithEmails
  after: UserWithEmails
}

/** The audit event without what follows from the change. */
interface ChangeOptions extends Pick<AuditRecord, "actor" | "changed" | "ignored" | "status"> {
  /** Applies unless the account is activated or deactivated. */
  action: string
  policy: UserChangePolicy
}

export interface UserWriterDeps {
  db: Database
  store: UserStore
  audit: Audit
  bus: Bus
  nowMs: () => number
  /** Ends a user's sessions, which invalidates their JWTs. */
  endSessions: (tx: Tx, userId: string) => Promise<void>
  deletion: Pick<AccountDeletion, "start" | "isRunning">
}

/** The attributes that audit events name, in this order. */
const auditedAttributes = [
  "email",
  "name",
  "given_name",
  "family_name",
  "display_name",
  "nick_name",
  "external_id",
  "role",
  "active",
  "password_hash",
  "emails",
  "source",
] as const satisfies UserAttribute[]

/** Who manages the account, which is not a modification of it. */
const managementAttributes: readonly UserAttribute[] = [
  "source",
  "external_id_fixed",
  "fixed_external_id",
]

const findDifferences = ({ before, after }: UserChange): Set<UserAttribute> => {
  const names = (Object.keys(after.user) as (keyof StoredUser)[]).filter(
    (name) => before.user[name] !== after.user[name],
  )
  const hasSameEmails = JSON.stringify(before.emails) === JSON.stringify(after.emails)
  return new Set<UserAttribute>(hasSameEmails ? names : [...names, "emails"])
}

/** Changes to access have the same action whoever makes them. */
const actionOf = (usual: string, before: StoredUser, after: StoredUser): string => {
  if (before.active === after.active) return usual
  return after.active ? "user.activated" : "user.deactivated"
}

const pick = (user: StoredUser, names: readonly (keyof StoredUser)[]) =>
  Object.fromEntries(names.map((name) => [name, user[name]]))

const auditRecordOf = (
  { before: { user: before }, after: { user: after } }: UserChange,
  differences: ReadonlySet<UserAttribute>,
  { policy, action, ...record }: ChangeOptions,
): AuditRecord => {
  const changed = auditedAttributes.filter(
    (name) => differences.has(name) && !policy.derivedAttributes.includes(name),
  )
  const changedAccess = changed.filter((name) => name === "active" || name === "role")
  const access = policy.auditsWholeAccess ? (["active", "role"] as const) : changedAccess
  const isAccessChange = differences.has("active") || differences.has("role")
  return {
    action: actionOf(action, before, after),
    target: { type: "user", id: after.id },
    changed: changed.map((name) => (name === "password_hash" ? "password" : name)),
    ...(isAccessChange && { before: pick(before, access), after: pick(after, access) }),
    ...record,
  }
}

const isActiveAdmin = ({ role, active }: StoredUser): boolean => role === "admin" && active

/**
 * Writes accounts. Every change passes here, whether an administrator, the user, or an identity
 * provider makes it, together with its consequences and its audit event.
 */
export interface UserWriter {
  /** Reads an account and locks it until `tx` ends. @throws {Failure} `not_found` */
  lockUser(tx: Tx, id: string): Promise<StoredUser>
  /** As `lockUser`, with all e-mail addresses. @throws {Failure} `not_found` */
  lockUserWithEmails(tx: Tx, id: string): Promise<UserWithEmails>
  /** @throws {Failure} `conflict` */
  insertUser(
    tx: Tx,
    userWithEmails: UserWithEmails,
    auditRecord: Omit<AuditRecord, "target"> & { policy: UserChangePolicy },
  ): Promise<void>
  /**
   * Replaces `before`, which `tx` has locked, by `after`. Ends the sessions of a deactivated
   * account and of one with a new password.
   * @throws {Failure} `conflict`, `last_admin`
   */
  changeUser(tx: Tx, change: UserChange, options: ChangeOptions): Promise<UserWithEmails>
  /**
   * Deactivates an account, and starts its deletion once `tx` commits; does nothing if that has
   * been done.
   * @throws {Failure} `not_found`, `last_admin`
   */
  removeUser(tx: Tx, actor: AuditRecord["actor"], id: string): Promise<void>
}

export const createUserWriter = (deps: UserWriterDeps): UserWriter => {
  const { db, store, audit, bus, nowMs, endSessions, deletion } = deps

  const lockUser = async (tx: Tx, id: string): Promise<StoredUser> => {
    await db.acquireLock(tx, userLock(id))
    return (await store.byId(id, tx)) ?? fail("not_found", `No user with the ID ${id}.`)
  }

  /** Requires that an active administrator remains. Concurrent calls are serialized. */
  const requireRemainingAdmin = async (tx: Tx, before: StoredUser, after: StoredUser | null) => {
    if (!isActiveAdmin(before) || (after && isActiveAdmin(after))) return
    await db.acquireLock(tx, "administrators")
    if (await store.hasOtherAdmin(tx, before.id)) return
    fail("last_admin", translatable("last_administrator", { email: before.email }))
  }

  /** Whoever signs in again meanwhile would lose what they add. */
  const requireNoDeletion = async (tx: Tx, { id, email }: StoredUser): Promise<void> => {
    if (!(await deletion.isRunning(tx, id))) return
    fail("conflict", translatable("account_being_deleted", { email }))
  }

  const write = async (
    tx: Tx,
    { before, after: { user, emails } }: UserChange,
    { differences, policy }: { differences: Set<UserAttribute>; policy: UserChangePolicy },
  ): Promise<void> => {
    if (user.active && !before.user.active) await requireNoDeletion(tx, user)
    await requireRemainingAdmin(tx, before.user, user)
    if (!(await store.update(tx, user))) policy.failEmailTaken(user.email)
    if (differences.has("emails")) await store.replaceEmails(tx, user.id, emails)
    if (!user.active || differences.has("password_hash")) await endSessions(tx, user.id)
    await bus.publish(tx, { topic: "user", id: user.id })
  }

  return {
    lockUser,

    lockUserWithEmails: async (tx, id) => {
      const user = await lockUser(tx, id)
      return { user, emails: await store.emails(id, tx) }
    },

    insertUser: async (tx, { user, emails }, { policy, ...record }) => {
      if (!(await store.insert(tx, user, emails))) policy.failEmailTaken(user.email)
      await audit.record(tx, { ...record, target: { type: "user", id: user.id } })
    },

    changeUser: async (tx, change, options) => {
      const { policy } = options
      const differences = findDifferences(change)
      const isModified = [...differences].some((name) => !managementAttributes.includes(name))
      const user = { ...change.after.user, ...(isModified && { updated_ms: nowMs() }) }
      const after = { ...change.after, user }
      const hasChanges = differences.size > 0
      if (hasChanges) await write(tx, { before: change.before, after }, { differences, policy })
      if (hasChanges || policy.auditsUnchanged) {
        await audit.record(tx, auditRecordOf(change, differences, options))
      }
      return after
    },

    removeUser: async (tx, actor, id) => {
      const user = await lockUser(tx, id)
      if (await deletion.isRunning(tx, id)) return
      await requireRemainingAdmin(tx, user, null)
      await store.update(tx, { ...user, active: false, updated_ms: nowMs() })
      await endSessions(tx, id)
      await deletion.start(tx, id)
      const before = { email: user.email, role: user.role, active: user.active }
      const target = { type: "user", id }
      await audit.record(tx, { actor, action: "user.deleted", target, before })
      await bus.publish(tx, { topic: "user", id })
    },
  }
}
