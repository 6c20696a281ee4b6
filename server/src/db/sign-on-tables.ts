export interface IdentityRow {
  id: string
  user_id: string
  /** The provider's name when it was last used. */
  provider: string
  issuer: string
  subject: string
  /** As the provider last said. */
  email: string | null
  created_at: number
  last_used_at: number | null
}

export interface SignOnSessionRow {
  session_id: string
  identity_id: string
  /** The provider's own session, which its logout may name. */
  sid: string | null
  sealed_id_token: string
}

/** A membership that a groups claim made, and that the same provider's claim may end. */
export interface SignOnMemberRow {
  issuer: string
  group_id: string
  user_id: string
}

/** What must not be used twice: flows that came back, logout tokens. */
export interface SignOnSpentRow {
  id: string
  expires_at: number
}
