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

/** `key`: a user's API key; `service_key`: one that belongs to a group instead of a user. */
export interface AuthenticatedCredential {
  type: "key" | "service_key" | "session"
  id: string
  limits: CredentialLimits
}

/** Whether a key is restricted, granting less than a session of its user. */
export const isRestrictedKey = ({ type, limits }: AuthenticatedCredential): boolean =>
  type === "service_key" ||
  (type === "key" && Object.values(limits).some((limit) => limit !== null))

/**
 * The active user that sent a request, and the credential used. With a service key, no user did:
 * `user` has the key's own id and name, so that nothing belongs to it, limits per user apply to the
 * key, and it is revoked like a user.
 */
export interface Caller {
  user: { id: string; email: string; name: string; role: Role }
  /** Ids of the user's groups; the one that a service key belongs to. */
  groups: ReadonlySet<string>
  /** The group that requests are charged to; null if none pays. */
  paying_group: string | null
  credential: AuthenticatedCredential
  /** When the credential was read from the database, in ms of `performance.now()`. */
  confirmed_at: number
}

export const isServiceKey = ({ credential }: Pick<Caller, "credential">): boolean =>
  credential.type === "service_key"

/** The id of the user that sent a request; null for a service key. */
export const userIdOf = (caller: Pick<Caller, "user" | "credential">): string | null =>
  isServiceKey(caller) ? null : caller.user.id

/** The id of the API key that was used; null for a session. */
export const keyIdOf = ({ credential }: Pick<Caller, "credential">): string | null =>
  credential.type === "session" ? null : credential.id

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
  const key_id = keyIdOf(caller)
  const type = key_id === null ? "user" : "key"
  return { type, id: userIdOf(caller), key_id, ...where }
}
