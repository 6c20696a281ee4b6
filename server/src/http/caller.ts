import type { Tx } from "../db/database.ts"

export type Role = "admin" | "user" | "pending"

/** A key's or session's own limits come on top of its user's. */
export interface Credential {
  type: "key" | "session"
  id: string
  /** Model ids; null allows all that the user may use. */
  allowed_models: readonly string[] | null
  /** Paths, or prefixes that end in `*`; null allows all. */
  allowed_routes: readonly string[] | null
  /** Epoch seconds; null never expires. */
  expires_at: number | null
}

/** Whether it opens less than its user's own session does. */
export const isLimited = ({ type, ...limits }: Credential): boolean =>
  type === "key" &&
  (limits.allowed_models !== null || limits.allowed_routes !== null || limits.expires_at !== null)

/** Who sent a request: an active user, through one credential. */
export interface Caller {
  user: { id: string; email: string; name: string; role: Role }
  /** Ids of the user's groups. */
  groups: ReadonlySet<string>
  credential: Credential
  /** When the store was asked, in ms of `performance.now()`; later changes may have ended it. */
  confirmed_at: number
}

/**
 * The caller with the role and groups that `tx` reads. Authorization inside a transaction uses it:
 * the caller of a request was read before its body arrived.
 * @throws {Failure} `unauthorized` when the account is gone or inactive
 */
export type RefreshCaller = (tx: Tx, caller: Caller) => Promise<Caller>

/** On whose behalf something changes, as the audit trail names it. */
export interface Actor {
  type: "user" | "key" | "scim" | "system" | "anonymous"
  id: string | null
  key_id: string | null
  address: string | null
  request_id: string | null
}

export const system: Actor = {
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
