export interface IdentityRow {
  id: string
  user_id: string
  /** The provider's name at the last use. */
  provider: string
  issuer: string
  subject: string
  /** As last reported by the provider. */
  email: string | null
  created_at: number
  last_used_at: number | null
}

export interface SignOnSessionRow {
  session_id: string
  identity_id: string
  /** The provider's session ID, which its logout tokens may refer to. */
  sid: string | null
  sealed_id_token: string
}

/** A membership created from a groups claim, which only the same provider's claim may remove. */
interface SignOnMembershipRow {
  issuer: string
  group_id: string
  user_id: string
}

/** Single-use values already used: completed sign-in attempts and logout tokens. */
interface UsedSignOnTokenRow {
  id: string
  expires_at: number
}

export interface SignOnTables {
  identities: IdentityRow
  sign_on_sessions: SignOnSessionRow
  sign_on_members: SignOnMembershipRow
  sign_on_spent: UsedSignOnTokenRow
}
