import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Actor, Caller, RefreshCaller } from "../http/caller.ts"
import type { Page } from "../http/pagination.ts"
import { auditRecordOf, changedFields } from "./audit-details.ts"
import type { RecordSource, Role, User, UserChanges, UserEmail, UserListQuery } from "./schema.ts"
import type { UserStore } from "./store.ts"
import { type StoredUser, toPublicUser } from "./user-rows.ts"

export interface NewUser {
  email: string
  name: string
  role: Role
  source: RecordSource
  password?: string
}

/**
 * Throws if the account must not be changed. Runs in the transaction that changes it: password
 * hashing takes time, during which earlier checks may become outdated.
 */
type UserChangeCheck = (tx: Tx, user?: StoredUser) => Promise<void>

const noCheck: UserChangeCheck = async () => {}

interface Deps {
  db: Database
  store: UserStore
  audit: Audit
  bus: Bus
  newId: () => string
  nowMs: () => number
  /** @param actor whose fair share of hashing time is used */
  hashPassword: (password: string, actor: Actor) => Promise<string>
  /** Ends a user's sessions, which invalidates their JWTs. */
  endSessions: (tx: Tx, userId: string) => Promise<void>
  refreshCaller: RefreshCaller
}

const splitName = (name: string): Pick<User, "given_name" | "family_name"> => {
  const parts = name.split(/\s+/)
  const family = parts.length > 1 ? parts.pop() : undefined
  return { given_name: parts.join(" "), family_name: family ?? null }
}

const isActiveAdmin = ({ role, active }: StoredUser): boolean => role === "admin" && active

export const createUsers = (deps: Deps) => {
  const { db, store, audit, bus, newId, nowMs, hashPassword, endSessions } = deps
  const { refreshCaller } = deps

  const getStoredUser = async (id: string, tx?: Tx): Promise<StoredUser> =>
    (await store.byId(id, tx)) ?? fail("not_found", `No user with the ID ${id}.`)

  /** Reads an account and locks it until `tx` ends. */
  const lockUser = async (tx: Tx, id: string): Promise<StoredUser> => {
    await db.acquireLock(tx, `user ${id}`)
    return getStoredUser(id, tx)
  }

  /**
   * Requires that an active administrator remains. Concurrent calls are serialized.
   * @throws {Failure} `last_admin`
   */
  const requireRemainingAdmin = async (tx: Tx, before: StoredUser, after: StoredUser | null) => {
    if (!isActiveAdmin(before) || (after && isActiveAdmin(after))) return
    await db.acquireLock(tx, "administrators")
    if (await store.hasOtherAdmin(tx, before.id)) return
    fail(
      "last_admin",
      `${before.email} is the last active administrator. Make another user an administrator first.`,
    )
  }

  /**
   * Provisioned attributes must be changed at the identity provider, or the next sync would revert
   * them.
   */
  const rejectProvisionedChange = ({ source, email }: StoredUser, after: StoredUser): void => {
    if (source !== "scim" || email === after.email) return
    fail(
      "conflict",
      `${email} is managed by the identity provider. Change the email address there.`,
    )
  }

  /** Applies `edit` to an account inside `tx`, including its consequences. */
  const change = async (
    tx: Tx,
    actor: Actor,
    before: StoredUser,
    edit: (user: StoredUser) => StoredUser,
  ): Promise<StoredUser> => {
    const { id } = before
    const after = edit(before)
    if (changedFields(before, after).length === 0) return before
    rejectProvisionedChange(before, after)
    after.updated_ms = nowMs()
    if (after.active) Object.assign(after, { deleted_at: null, hidden: false })
    await requireRemainingAdmin(tx, before, after)
    if (!(await store.update(tx, after))) fail("conflict", `${after.email} is already in use.`)
    if (after.email !== before.email) await store.renameEmail(tx, before, after.email)
    const secretChanged = before.password_hash !== after.password_hash
    if (!after.active || secretChanged) await endSessions(tx, id)
    await audit.record(tx, { actor, ...auditRecordOf(before, after) })
    await bus.publish(tx, { topic: "user", id })
    return after
  }

  const insert = async (tx: Tx, actor: Actor, user: StoredUser): Promise<User> => {
    const work = { value: user.email, type: "work", display: null, primary: true }
    const emails: UserEmail[] = [work]
    if (!(await store.insert(tx, user, emails))) {
      fail("conflict", `${user.email} is already in use.`)
    }
    const { role, active } = user
    const target = { type: "user", id: user.id }
    await audit.record(tx, { actor, action: "user.created", target, after: { role, active } })
    return toPublicUser(user)
  }

  const newStoredUser = (
    input: Omit<NewUser, "password">,
    password_hash: string | null,
  ): StoredUser => ({
    id: newId(),
    ...splitName(input.name),
    ...input,
    display_name: null,
    nick_name: null,
    external_id: null,
    active: true,
    password_hash,
    created_ms: nowMs(),
    updated_ms: nowMs(),
    last_active_at: null,
    deleted_at: null,
    hidden: false,
    external_id_fixed: false,
    fixed_external_id: null,
  })

  const prepareUser = async (actor: Actor, { password, ...input }: NewUser): Promise<StoredUser> =>
    newStoredUser(input, password === undefined ? null : await hashPassword(password, actor))

  return {
    get: async (id: string): Promise<User> => toPublicUser(await getStoredUser(id)),
    list: (query: UserListQuery): Promise<Page<User>> => store.list(query),
    hasAny: (): Promise<boolean> => store.hasAny(),
    count: (): Promise<number> => store.count(),

    lockUser,
    requireRemainingAdmin,

    /** Includes the password hash; for sign-in only. */
    findForSignIn: (email: string): Promise<StoredUser | undefined> => store.byEmail(email),

    /** Creates an account without a password inside `tx`. @throws {Failure} `conflict` */
    createWithoutPassword: async (
      tx: Tx,
      actor: Actor,
      input: Omit<NewUser, "password"> & Partial<Pick<User, "given_name" | "family_name">>,
    ): Promise<StoredUser> => {
      const user = newStoredUser(input, null)
      await insert(tx, actor, user)
      return user
    },

    /** A precondition: the caller is still an administrator. */
    requireAdmin:
      (caller: Caller): UserChangeCheck =>
      async (tx) => {
        const { user } = await refreshCaller(tx, caller)
        if (user.role !== "admin") fail("forbidden", "Only administrators can do this.")
      },

    /** `check` and `afterInsert` run in the same transaction. */
    create: async (
      actor: Actor,
      input: NewUser,
      check = noCheck,
      afterInsert: (tx: Tx, user: User) => Promise<void> = async () => {},
    ): Promise<User> => {
      const user = await prepareUser(actor, input)
      return db.transact(async (tx) => {
        await check(tx)
        const created = await insert(tx, actor, user)
        await afterInsert(tx, created)
        return created
      })
    },

    /**
     * Creates the first account, an administrator. Of two concurrent calls, one gets `null`. `also`
     * runs in the same transaction.
     */
    createFirst: async (
      actor: Actor,
      input: Omit<NewUser, "role" | "source">,
      afterInsert: (tx: Tx, user: User) => Promise<void> = async () => {},
    ): Promise<User | null> => {
      const user = await prepareUser(actor, { ...input, role: "admin", source: "local" })
      return db.transact(async (tx) => {
        await db.acquireLock(tx, "administrators")
        if (await store.hasAny(tx)) return null
        const created = await insert(tx, actor, user)
        await afterInsert(tx, created)
        return created
      })
    },

    update: async (
      actor: Actor,
      id: string,
      changes: UserChanges,
      check = noCheck,
    ): Promise<User> => {
      const { password, ...plain } = changes
      const password_hash = password === undefined ? undefined : await hashPassword(password, actor)
      const definedChanges = Object.fromEntries(
        Object.entries(plain).filter(([, v]) => v !== undefined),
      )
      const after = await db.transact(async (tx) => {
        const before = await lockUser(tx, id)
        await check(tx, before)
        return change(tx, actor, before, (user) => ({
          ...user,
          ...definedChanges,
          ...(plain.name && plain.name !== user.name && splitName(plain.name)),
          ...(password_hash && { password_hash }),
        }))
      })
      return toPublicUser(after)
    },

    /**
     * Releases the e-mail address of an inactive account for another account; its data remains.
     * @throws {Failure} `conflict`
     */
    release: (actor: Actor, id: string): Promise<User> =>
      db.transact(async (tx) => {
        const before = await lockUser(tx, id)
        if (before.active)
          fail("conflict", `${before.email} is active. Deactivate the account first.`)
        if (before.hidden) fail("conflict", `The address ${before.email} was already released.`)
        const clearedExternalId = { external_id_fixed: false, fixed_external_id: null }
        const after: StoredUser = {
          ...before,
          ...clearedExternalId,
          hidden: true,
          updated_ms: nowMs(),
        }
        await store.update(tx, after)
        const target = { type: "user", id }
        await audit.record(tx, { actor, action: "user.released", target, changed: ["email"] })
        await bus.publish(tx, { topic: "user", id })
        return toPublicUser(after)
      }),

    remove: async (actor: Actor, id: string): Promise<void> => {
      await db.transact(async (tx) => {
        const user = await lockUser(tx, id)
        await requireRemainingAdmin(tx, user, null)
        await store.remove(tx, id)
        const before = { email: user.email, role: user.role, active: user.active }
        const target = { type: "user", id }
        await audit.record(tx, { actor, action: "user.deleted", target, before })
        await bus.publish(tx, { topic: "user", id })
      })
    },
  }
}

export type Users = ReturnType<typeof createUsers>
