import type { AuditRecord } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { UserEmail } from "./schema.ts"
import type { UserStore } from "./store.ts"
import { newStoredUser, type StoredUser } from "./user-rows.ts"
import type { UserChangePolicy, UserWithEmails, UserWriter } from "./user-writer.ts"

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

/** Audit details of a provisioning request. `action` applies unless the change affects access. */
export type ProvisioningRecord = Pick<AuditRecord, "actor" | "action" | "status" | "ignored">

interface Deps {
  store: UserStore
  users: UserWriter
  bus: Bus
  newId: () => string
  nowMs: () => number
  removeKeys: (tx: Tx, userId: string) => Promise<void>
  leaveGroups: (tx: Tx, userId: string) => Promise<void>
  /** Whether a deleted account stays visible to SCIM as inactive, or is hidden. */
  deleteMode: "deactivate" | "hide"
}

/** The display name, composed from SCIM's optional name parts. */
const displayNameOf = ({
  display_name,
  given_name,
  family_name,
  email,
}: Pick<StoredUser, "display_name" | "given_name" | "family_name" | "email">): string => {
  const parts = [given_name, family_name].filter(Boolean).join(" ")
  return (display_name ?? (parts || email)).slice(0, maxName)
}

const isExternalIdAllowed = (user: StoredUser, externalId: string | null): boolean =>
  !user.external_id_fixed ||
  externalId === null ||
  user.fixed_external_id === null ||
  externalId === user.fixed_external_id

/**
 * Sets the externalId. An account deleted through SCIM can only be revived with its previous one:
 * identity providers match by address, and a recycled address belongs to another person. If the
 * account had none, this one becomes the fixed one.
 * @throws {Failure} `conflict`
 */
const withExternalId = (user: StoredUser, external_id: string | null): StoredUser => {
  if (!isExternalIdAllowed(user, external_id)) {
    fail(
      "conflict",
      `The userName ${user.email} belongs to a deleted account with another externalId. For the same person, send the previous externalId. For another person, have an administrator release the address in Portico (Users, the account, "Release address"), then create the user again.`,
      { scimType: "uniqueness" },
    )
  }
  if (!user.external_id_fixed) return { ...user, external_id }
  return { ...user, external_id, fixed_external_id: user.fixed_external_id ?? external_id }
}

/** A revived account loses its administrator role. */
const reviveUser = (user: StoredUser): StoredUser =>
  user.deleted_at === null
    ? user
    : { ...user, deleted_at: null, role: user.role === "admin" ? "user" : user.role }

/** A name set by an administrator stays until the provider's own names change. */
const applyProfile = (
  { user }: UserWithEmails,
  { emails, external_id, ...own }: ProvisionedProfile,
): UserWithEmails => {
  const name = displayNameOf(own)
  const renamed = displayNameOf(user) !== name && { name }
  // Once the provider writes to an account, the provider manages it.
  const after: StoredUser = {
    ...withExternalId(user, external_id),
    ...own,
    ...renamed,
    source: "scim",
  }
  return { user: after.active ? reviveUser(after) : after, emails }
}

const policy: UserChangePolicy = {
  derivedAttributes: ["name", "role"],
  auditsUnchanged: true,
  auditsWholeAccess: true,
  failEmailTaken: (email) =>
    fail("conflict", `The userName ${email} is already in use`, { scimType: "uniqueness" }),
}

/** Accounts as created, changed and deleted by an identity provider. */
export interface ProvisionedUsers {
  /** Reads an account and locks it until `tx` ends. @throws {Failure} `not_found` */
  lock(tx: Tx, id: string): Promise<UserWithEmails>
  /**
   * Creates an account, or revives the deleted one with the same e-mail address.
   * @throws {Failure} `conflict`
   */
  create(tx: Tx, record: ProvisioningRecord, profile: ProvisionedProfile): Promise<StoredUser>
  /**
   * @param before as returned by `lock`
   * @throws {Failure} `conflict`, `last_admin`
   */
  change(
    tx: Tx,
    record: ProvisioningRecord,
    options: { before: UserWithEmails; profile: ProvisionedProfile },
  ): Promise<StoredUser>
  /**
   * Deletes an account's sessions, keys and memberships and deactivates it; its data remains.
   * @throws {Failure} `not_found`, `last_admin`
   */
  deleteUser(tx: Tx, record: ProvisioningRecord, id: string): Promise<void>
}

export const createProvisionedUsers = (deps: Deps): ProvisionedUsers => {
  const { store, users, bus, newId, nowMs, deleteMode } = deps

  const isVisible = ({ hidden, deleted_at }: StoredUser): boolean =>
    !hidden && (deleteMode === "deactivate" || deleted_at === null)

  const lock = async (tx: Tx, id: string): Promise<UserWithEmails> => {
    const account = await users.lockUserWithEmails(tx, id)
    return isVisible(account.user) ? account : fail("not_found", `No user with the ID ${id}`)
  }

  const insert = async (
    tx: Tx,
    record: ProvisioningRecord,
    profile: ProvisionedProfile,
  ): Promise<StoredUser> => {
    const { emails, ...own } = profile
    const identity = {
      id: newId(),
      name: displayNameOf(own),
      role: "user",
      source: "scim",
    } as const
    const user = newStoredUser({ ...own, ...identity }, nowMs())
    const changed = Object.keys(profile).filter((name) => name !== "active")
    const after = { active: user.active, role: user.role }
    await users.insertUser(tx, { user, emails }, { ...record, changed, after, policy })
    return user
  }

  return {
    lock,

    create: async (tx, record, profile) => {
      const existing = await store.byEmail(profile.email, tx)
      if (!existing) return insert(tx, record, profile)
      const before = await users.lockUserWithEmails(tx, existing.id)
      if (before.user.deleted_at === null) policy.failEmailTaken(profile.email)
      if (deleteMode === "hide") {
        // Frees the e-mail address of the deleted account for the new one.
        await store.update(tx, { ...before.user, hidden: true })
        return insert(tx, record, profile)
      }
      const external_id = profile.external_id ?? before.user.external_id
      const { user, emails } = applyProfile(before, { ...profile, external_id })
      const after = { user: reviveUser(user), emails }
      return (await users.changeUser(tx, { before, after }, { ...record, policy })).user
    },

    change: async (tx, record, { before, profile }) => {
      const after = applyProfile(before, profile)
      return (await users.changeUser(tx, { before, after }, { ...record, policy })).user
    },

    deleteUser: async (tx, record, id) => {
      const before = await lock(tx, id)
      const { deleted_at, external_id, fixed_external_id } = before.user
      const user: StoredUser = {
        ...before.user,
        active: false,
        deleted_at: deleted_at ?? Math.floor(nowMs() / 1000),
        hidden: deleteMode === "hide",
        external_id_fixed: true,
        fixed_external_id: fixed_external_id ?? external_id,
      }
      const change = { before, after: { ...before, user } }
      await users.changeUser(tx, change, { ...record, policy })
      await deps.removeKeys(tx, id)
      await deps.leaveGroups(tx, id)
      await bus.publish(tx, { topic: "groups" })
    },
  }
}
