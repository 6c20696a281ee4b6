import type { Tx } from "../db/database.ts"

export type Role = "admin" | "user" | "pending"

/**
 * Everything by which a credential may grant less than its user has; null sets no limit. Keys are
 * stored, shown and checked for restrictions by these members.
 */
export interface CredentialLimits {
  /** Model ids; null allows every model the user may use. */
  allowed_models: readonly string[] | null
  /** Paths, or prefixes ending in `*`; null allows all. */
  allowed_routes: readonly string[] | null
  /** Epoch seconds; null means it never expires. */
  expires_at: number | null
}

export const noCredentialLimits = {
  allowed_models: null,
  allowed_routes: null,
  expires_at: null,
} as const satisfies CredentialLimits

/** API key or session. */
export interface AuthenticatedCredential {
  type: "key" | "session"
  id: string
  limits: CredentialLimits
}

/** Whether a key is restricted, granting less than a session of its user. */
export const isRestrictedKey = ({ type, limits }: AuthenticatedCredential): boolean =>
  type === "key" && Object.values(limits).some((limit) => limit !== null)

/** The active user that sent a request, and the credential used. */
export interface Caller {
  user: { id: string; email: string; name: string; role: Role }
  /** Ids of the user's groups. */
  groups: ReadonlySet<string>
  /** The group that requests are charged to; null if none pays. */
  paying_group: string | null
  credential: AuthenticatedCredential
  /** When the credential was read from the database, in ms of `performance.now()`. */
  confirmed_at: number
}

/** The attributes that determine a user's access. */
export type UserAccess = Pick<Caller, "groups"> & Pick<Caller["user"], "role">

/**
 * Rereads the caller's role and groups in `tx`. Use it for authorization inside a transaction: the
 * request's caller was read before its body arrived.
 * @throws {Failure} `unauthorized` if the account was deleted or deactivated
 */
export type RefreshCaller = (tx: Tx, caller: Caller) => Promise<Caller>

/** Who made a change, as recorded in the audit log. */
export interface Actor {
  type: "user" | "key" | "scim" | "system" | "anonymous"
  id: string | null
  key_id: string | null
  address: string | null
  request_id: string | null
}

export const systemActor: Actor = {
  type: "system",
  id: null,
  key_id: null,
  address: null,
  request_id: null,
}

export const actorOf = (
  caller: Caller | null,
  { address, requestId }: { address: string; requestId: string },
): Actor => {
  const where = { address, request_id: requestId }
  if (!caller) return { type: "anonymous", id: null, key_id: null, ...where }
  const { user, credential } = caller
  const isKey = credential.type === "key"
  return {
    type: isKey ? "key" : "user",
    id: user.id,
    key_id: isKey ? credential.id : null,
    ...where,
  }
}
