import type { Tx } from "../db/database.ts"
import { foldCase } from "../db/fold-case.ts"
import { fail } from "../errors.ts"
import type { Actor, Caller, RefreshCaller } from "../http/caller.ts"
import type { Page } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"
import {
  type AccountDeletion,
  type AccountDeletionDeps,
  createAccountDeletion,
} from "./account-deletion.ts"
import type { RecordSource, Role, User, UserChanges, UserEmail, UserListQuery } from "./schema.ts"
import { userLock } from "./user-lock.ts"
import { newStoredUser, type StoredUser, toPublicUser } from "./user-rows.ts"
import {
  createUserWriter,
  type UserChangePolicy,
  type UserWithEmails,
  type UserWriter,
  type UserWriterDeps,
} from "./user-writer.ts"

/** Without name parts, the name is split into them. */
export interface NewUser extends Partial<Pick<User, "given_name" | "family_name">> {
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

interface Deps extends Omit<UserWriterDeps, "deletion">, AccountDeletionDeps {
  newId: () => string
  /** @param actor whose fair share of hashing time is used */
  hashPassword: (password: string, actor: Actor) => Promise<string>
  refreshCaller: RefreshCaller
}

const splitName = (name: string): Pick<User, "given_name" | "family_name"> => {
  const parts = name.split(/\s+/)
  const family = parts.length > 1 ? parts.pop() : undefined
  return { given_name: parts.join(" "), family_name: family ?? null }
}

/** The sign-in address also appears among the account's other addresses. */
const renameEmail = (emails: UserEmail[], from: string, to: string): UserEmail[] =>
  emails.map((email) =>
    foldCase(email.value) === foldCase(from) ? { ...email, value: to } : email,
  )

/**
 * An account as edited by an administrator or its user.
 * @throws {Failure} `conflict` for an attribute that the identity provider manages: it must be
 * changed there, or the next sync would revert it
 */
const applyChanges = (
  { user, emails }: UserWithEmails,
  changes: Partial<StoredUser>,
): UserWithEmails => {
  const after: StoredUser = {
    ...user,
    ...(changes.name && changes.name !== user.name && splitName(changes.name)),
    ...changes,
  }
  if (after.active) Object.assign(after, { deleted_at: null, hidden: false })
  if (after.email === user.email) return { user: after, emails }
  if (user.source === "scim") {
    fail(
      "conflict",
      `${user.email} is managed by the identity provider. Change the email address there.`,
    )
  }
  return { user: after, emails: renameEmail(emails, user.email, after.email) }
}

const policy: UserChangePolicy = {
  derivedAttributes: ["emails"],
  auditsUnchanged: false,
  auditsWholeAccess: false,
  failEmailTaken: (email) => fail("conflict", translatable("email_in_use", { email })),
}

/** The rules for accounts, except those that only an identity provider changes. */
export interface Users extends UserWriter {
  /** Prepares an account for `insertPrepared`; hashing its password takes time. */
  prepareUser(actor: Actor, input: NewUser): Promise<StoredUser>
  /** Creates a prepared account inside `tx`. @throws {Failure} `conflict` */
  insertPrepared(tx: Tx, actor: Actor, user: StoredUser): Promise<User>
  get(id: string): Promise<User>
  list(query: UserListQuery): Promise<Page<User>>
  hasAny(): Promise<boolean>
  count(): Promise<number>
  /** Includes the password hash; for sign-in only. */
  findForSignIn(email: string): Promise<StoredUser | undefined>
  /** A precondition: the caller is still an administrator. */
  requireAdmin(caller: Caller): UserChangeCheck
  create(actor: Actor, input: NewUser, check?: UserChangeCheck): Promise<User>
  /**
   * Creates the first account, an administrator. Of two concurrent calls, one gets `null`.
   * `afterInsert` runs in the same transaction.
   */
  createFirst(
    actor: Actor,
    input: Omit<NewUser, "role" | "source">,
    afterInsert?: (tx: Tx, user: User) => Promise<void>,
  ): Promise<User | null>
  update(actor: Actor, id: string, changes: UserChanges, check?: UserChangeCheck): Promise<User>
  /**
   * Releases the e-mail address of an inactive account for another account; its data remains.
   * @throws {Failure} `conflict`
   */
  release(actor: Actor, id: string): Promise<User>
  /**
   * Deactivates an account durably and starts its deletion, unless that was done before.
   * @param check may hand over what the account owns, or reject the deletion
   */
  remove(actor: Actor, id: string, check?: UserChangeCheck): Promise<void>
  waitForRemoval: AccountDeletion["waitForEnd"]
}

export const createUsers = (deps: Deps): Users => {
  const { db, store, newId, nowMs, hashPassword, refreshCaller } = deps
  const deletion = createAccountDeletion(deps)
  const writer = createUserWriter({ ...deps, deletion })
  const { lockUserWithEmails, insertUser, changeUser, removeUser } = writer

  const insertPrepared = async (tx: Tx, actor: Actor, user: StoredUser): Promise<User> => {
    const emails = [{ value: user.email, type: "work", display: null, primary: true }]
    const { role, active } = user
    const record = { actor, action: "user.created", after: { role, active }, policy }
    await insertUser(tx, { user, emails }, record)
    return toPublicUser(user)
  }

  const prepareUser = async (
    actor: Actor,
    { password, ...input }: NewUser,
  ): Promise<StoredUser> => {
    const hash = password === undefined ? null : await hashPassword(password, actor)
    return newStoredUser(
      { id: newId(), ...splitName(input.name), ...input, password_hash: hash },
      nowMs(),
    )
  }

  return {
    ...writer,

    prepareUser,
    insertPrepared,

    get: async (id) =>
      toPublicUser((await store.byId(id)) ?? fail("not_found", `No user with the ID ${id}.`)),
    list: (query) => store.list(query),
    hasAny: () => store.hasAny(),
    count: () => store.count(),
    findForSignIn: (email) => store.byEmail(email),

    requireAdmin: (caller) => async (tx) => {
      const { user } = await refreshCaller(tx, caller)
      if (user.role !== "admin") fail("forbidden", translatable("administrators_only"))
    },

    create: async (actor, input, check = noCheck) => {
      const user = await prepareUser(actor, input)
      return db.transact(async (tx) => {
        await check(tx)
        return insertPrepared(tx, actor, user)
      })
    },

    createFirst: async (actor, input, afterInsert = async () => {}) => {
      const user = await prepareUser(actor, { ...input, role: "admin", source: "local" })
      return db.transactLocked(["administrators"], async (tx) => {
        if (await store.hasAny(tx)) return null
        const created = await insertPrepared(tx, actor, user)
        await afterInsert(tx, created)
        return created
      })
    },

    update: async (actor, id, changes, check = noCheck) => {
      const { password, ...plain } = changes
      const hash = password === undefined ? undefined : await hashPassword(password, actor)
      const defined = Object.entries({ ...plain, password_hash: hash }).filter(
        ([, value]) => value !== undefined,
      )
      // Like deletion, this works on a nearly full disk.
      const takesAccess = plain.active === false || plain.role === "pending"
      const writes = takesAccess ? db.essential : db
      return writes.transactLocked([userLock(id)], async (tx) => {
        const before = await lockUserWithEmails(tx, id)
        await check(tx, before.user)
        const after = applyChanges(before, Object.fromEntries(defined))
        const options = { actor, action: "user.updated", policy }
        return toPublicUser((await changeUser(tx, { before, after }, options)).user)
      })
    },

    release: (actor, id) =>
      db.transactLocked([userLock(id)], async (tx) => {
        const before = await lockUserWithEmails(tx, id)
        const { email, active, hidden } = before.user
        if (active) fail("conflict", translatable("account_is_active", { email }))
        if (hidden) fail("conflict", translatable("address_already_released", { email }))
        const clearedExternalId = { external_id_fixed: false, fixed_external_id: null }
        const after = { ...before, user: { ...before.user, ...clearedExternalId, hidden: true } }
        const options = { actor, action: "user.released", changed: ["email"], policy }
        return toPublicUser((await changeUser(tx, { before, after }, options)).user)
      }),

    remove: (actor, id, check = noCheck) =>
      db.essential.transact(async (tx) => {
        if (await deletion.isRunning(tx, id)) return
        await check(tx)
        await removeUser(tx, actor, id)
      }),

    waitForRemoval: deletion.waitForEnd,
  }
}
