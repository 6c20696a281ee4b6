export interface InvitationRow {
  id: string
  /** SHA-256 of the link's token in hex; unique. */
  hash: string
  /** The only address that may accept it; null for any. */
  email: string | null
  role: string
  /** JSON array of the groups that the new account joins. */
  group_ids: string
  /** The administrator who created it; it is void if they are no longer one. */
  created_by: string
  created_at: number
  expires_at: number
  revoked_at: number | null
  accepted_at: number | null
  /** The account that it created; null if that was deleted. */
  accepted_by: string | null
}

export interface InvitationTables {
  invitations: InvitationRow
}
