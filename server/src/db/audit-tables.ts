import type { Generated } from "kysely"

export interface AuditEventRow {
  id: string
  at: number
  actor_type: string
  actor_id: string | null
  key_id: string | null
  address: string | null
  action: string
  target_type: string | null
  target_id: string | null
  changed: string | null
  /** Names of attributes that were sent but are not stored by this gateway. */
  ignored: string | null
  before: string | null
  after: string | null
  outcome: string
  status: number | null
  /** How many identical events this row represents. */
  count: Generated<number>
  request_id: string | null
  /** The block that seals it; null until it is sealed. */
  block: Generated<number | null>
}

/** Seals the events that refer to it; kept after they are pruned. */
export interface AuditBlockRow {
  /** From 1, without gaps. */
  number: number
  /** Hash of the previous block. */
  previous: string
  hash: string
  /** HMAC of the hash, keyed with a key derived from SECRET_KEY. */
  seal: string
  /** Identifies the SECRET_KEY that was used. */
  key_id: string
  count: number
  first_at: number
  last_at: number
  sealed_at: number
  /** The first bytes of each event's digest, so that an altered event can be identified. */
  digests: string
  pruned_at: number | null
}

interface AuditStateRow {
  name: string
  value: string
}

export interface AuditTables {
  audit_events: AuditEventRow
  audit_blocks: AuditBlockRow
  audit_state: AuditStateRow
}
