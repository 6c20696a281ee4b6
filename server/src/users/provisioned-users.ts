import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import { fixExternalId, withExternalId } from "./fixed-external-id.ts"
import type { UserEmail } from "./schema.ts"
import type { UserStore } from "./store.ts"
import type { StoredUser } from "./user-rows.ts"
import type { Users } from "./users.ts"

const maxName = 200

/** An account's attributes managed by an identity provider; the role is not among them. */
export interface ProvisionedProfile {
  email: string
  given_name: string | null
  family_name: string | null
  display_name: string | null
  nick_name: string | null
  external_id: string | null
  active: boolean
  emails: UserEmail[]
}

export interface ProvisionedUser {
  user: StoredUser
  emails: UserEmail[]
}

/** Audit details of a provisioning request. `action` applies unless the change affects access. */
export interface UserAuditContext {
  actor: Actor
  action: string
  /** HTTP status of the response. */
  status: number
  /** Names of attributes that were sent but are not stored. */
  ignored: readonly string[]
  /** Set when the account is created again, so that a deleted one is revived. */
  revives?: true
}

interface Deps {
  store: UserStore
  users: Users
  audit: Audit
  bus: Bus
  newId: () => string
  nowMs: () => number
  endSessions: (tx: Tx, userId: string) => Promise<void>
  removeKeys: (tx: Tx, userId: string) => Promise<void>
  leaveGroups: (tx: Tx, userId: string) => Promise<void>
  /** Whether a deleted account stays visible to SCIM as inactive, or is hidden. */
  deleteMode: "deactivate" | "hide"
}

const scalarAttributes = [
  "email",
  "given_name",
  "family_name",
  "display_name",
  "nick_name",
  "external_id",
  "active",
] as const

const profileOf = ({ user, emails }: ProvisionedUser): ProvisionedProfile => ({
  email: user.email,
  given_name: user.given_name,
  family_name: user.family_name,
  display_name: user.display_name,
  nick_name: user.nick_name,
  external_id: user.external_id,
  active: user.active,
  emails,
})

const changedNames = (before: ProvisionedProfile, after: ProvisionedProfile): string[] => {
  const names: string[] = scalarAttributes.filter((name) => before[name] !== after[name])
  const sameEmails = JSON.stringify(before.emails) === JSON.stringify(after.emails)
  return sameEmails ? names : [...names, "emails"]
}

/** The display name, composed from SCIM's optional name parts. */
const displayNameOf = ({
  display_name,
  given_name,
  family_name,
  email,
}: ProvisionedProfile): string => {
  const parts = [given_name, family_name].filter(Boolean).join(" ")
  return (display_name ?? (parts || email)).slice(0, maxName)
}

/** A name set by an administrator stays until the provider's own names change. */
const withProfile = (stored: ProvisionedUser, profile: ProvisionedProfile): StoredUser => {
  const { emails, external_id, ...own } = profile
  const renamed = displayNameOf(profileOf(stored)) !== displayNameOf(profile)
  const user = withExternalId(stored.user, external_id)
  // Once the provider writes to an account, the provider manages it.
  return { ...user, ...own, ...(renamed && { name: displayNameOf(profile) }), source: "scim" }
}

/** Changes to access have the same audit action whoever makes them. */
const auditActionOf = (
  auditContext: UserAuditContext,
  before: StoredUser,
  after: StoredUser,
): string => {
  if (before.active === after.active) return auditContext.action
  return after.active ? "user.activated" : "user.deactivated"
}

/** A revived account loses its administrator role. */
const reviveUser = (user: StoredUser): StoredUser =>
  user.deleted_at === null
    ? user
    : { ...user, deleted_at: null, role: user.role === "admin" ? "user" : user.role }

const pickAccess = ({ active, role }: StoredUser) => ({ active, role })

/** Accounts as created, changed and deleted by an identity provider. */
export const createProvisionedUsers = (deps: Deps) => {
  const { store, users, audit, bus, newId, nowMs, deleteMode } = deps

  const isVisible = ({ hidden, deleted_at }: StoredUser): boolean =>
    !hidden && (deleteMode === "deactivate" || deleted_at === null)

  const requireVisible = (user: StoredUser | undefined, id: string): StoredUser =>
    user && isVisible(user) ? user : fail("not_found", `No user with the ID ${id}`)

  const lockUser = async (tx: Tx, id: string): Promise<StoredUser> =>
    requireVisible(await users.lockUser(tx, id), id)

  const failEmailTaken = (email: string): never =>
    fail("conflict", `The userName ${email} is already in use`, { scimType: "uniqueness" })

  const record = async (
    tx: Tx,
    auditContext: UserAuditContext,
    { before, after, changed }: { before?: StoredUser; after: StoredUser; changed: string[] },
  ): Promise<void> => {
    const isAccessChange =
      !before || JSON.stringify(pickAccess(before)) !== JSON.stringify(pickAccess(after))
    await audit.record(tx, {
      actor: auditContext.actor,
      action: before ? auditActionOf(auditContext, before, after) : auditContext.action,
      target: { type: "user", id: after.id },
      changed,
      ignored: auditContext.ignored,
      ...(before && isAccessChange && { before: pickAccess(before) }),
      ...(isAccessChange && { after: pickAccess(after) }),
      status: auditContext.status,
    })
  }

  /** Writes `after` and its consequences, such as ending sessions. */
  const write = async (
    tx: Tx,
    { before, after, emails }: { before: StoredUser; after: StoredUser; emails?: UserEmail[] },
  ): Promise<void> => {
    await users.requireRemainingAdmin(tx, before, after)
    if (!(await store.update(tx, after))) failEmailTaken(after.email)
    if (emails) await store.replaceEmails(tx, after.id, emails)
    if (!after.active) await deps.endSessions(tx, after.id)
    await bus.publish(tx, { topic: "user", id: after.id })
  }

  const apply = async (
    tx: Tx,
    auditContext: UserAuditContext,
    stored: ProvisionedUser,
    profile: ProvisionedProfile,
  ): Promise<ProvisionedUser> => {
    const before = stored.user
    const changed = changedNames(profileOf(stored), profile)
    const edited = withProfile(stored, profile)
    const after = profile.active || auditContext.revives ? reviveUser(edited) : edited
    if (before.source !== after.source) changed.push("source")
    if (changed.length === 0 && after.deleted_at === before.deleted_at) {
      await record(tx, auditContext, { before, after: before, changed })
      return stored
    }
    // `source` is not one of the provider's attributes, so changing it alone does not count as a
    // modification.
    if (changed.join() !== "source") after.updated_ms = nowMs()
    const emails = changed.includes("emails") ? { emails: profile.emails } : {}
    await write(tx, { before, after, ...emails })
    await record(tx, auditContext, { before, after, changed })
    return { user: after, emails: profile.emails }
  }

  const draft = (profile: ProvisionedProfile): StoredUser => {
    const base = { id: newId(), role: "user", source: "scim", password_hash: null } as const
    const at = nowMs()
    const times = { created_ms: at, updated_ms: at, last_active_at: null, deleted_at: null }
    const releaseEmail = { hidden: false, external_id_fixed: false, fixed_external_id: null }
    const { emails, ...own } = profile
    return { ...base, ...own, name: displayNameOf(profile), ...times, ...releaseEmail }
  }

  /** Frees the e-mail address of a deleted account for a new one. */
  const releaseEmail = async (tx: Tx, user: StoredUser): Promise<void> => {
    await store.update(tx, { ...user, hidden: true })
  }

  const insert = async (
    tx: Tx,
    auditContext: UserAuditContext,
    profile: ProvisionedProfile,
  ): Promise<ProvisionedUser> => {
    const user = draft(profile)
    if (!(await store.insert(tx, user, profile.emails))) failEmailTaken(profile.email)
    const changed = Object.keys(profile).filter((name) => name !== "active")
    await record(tx, auditContext, { after: user, changed })
    return { user, emails: profile.emails }
  }

  return {
    isVisible,

    /**
     * Creates an account, or revives the deleted one with the same e-mail address.
     * @throws {Failure} `conflict`
     */
    create: async (
      tx: Tx,
      auditContext: UserAuditContext,
      profile: ProvisionedProfile,
    ): Promise<ProvisionedUser> => {
      const existing = await store.byEmail(profile.email, tx)
      if (!existing) return insert(tx, auditContext, profile)
      const deletedUser = await users.lockUser(tx, existing.id)
      if (deletedUser.deleted_at === null) failEmailTaken(profile.email)
      if (deleteMode === "hide") {
        await releaseEmail(tx, deletedUser)
        return insert(tx, auditContext, profile)
      }
      const emails = await store.emails(deletedUser.id, tx)
      const external_id = profile.external_id ?? deletedUser.external_id
      const stored = { user: deletedUser, emails }
      return apply(tx, { ...auditContext, revives: true }, stored, { ...profile, external_id })
    },

    /** @throws {Failure} `not_found`, `conflict`, `last_admin` */
    change: async (
      tx: Tx,
      auditContext: UserAuditContext,
      id: string,
      edit: (profile: ProvisionedProfile) => ProvisionedProfile,
    ): Promise<ProvisionedUser> => {
      const user = await lockUser(tx, id)
      const stored = { user, emails: await store.emails(id, tx) }
      return apply(tx, auditContext, stored, edit(profileOf(stored)))
    },

    /**
     * Deletes an account's sessions, keys and memberships and deactivates it; its data remains.
     * @throws {Failure} `not_found`, `last_admin`
     */
    deleteUser: async (tx: Tx, auditContext: UserAuditContext, id: string): Promise<void> => {
      const before = await lockUser(tx, id)
      const at = nowMs()
      const after: StoredUser = {
        ...fixExternalId(before),
        active: false,
        deleted_at: before.deleted_at ?? Math.floor(at / 1000),
        hidden: deleteMode === "hide",
        updated_ms: before.deleted_at === null ? at : before.updated_ms,
      }
      await write(tx, { before, after })
      await deps.removeKeys(tx, id)
      await deps.leaveGroups(tx, id)
      await bus.publish(tx, { topic: "groups" })
      const changed = before.active ? ["active"] : []
      await record(tx, auditContext, { before, after, changed })
    },
  }
}

export type ProvisionedUsers = ReturnType<typeof createProvisionedUsers>
