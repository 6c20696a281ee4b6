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
  /** Names of attributes that were sent and that this gateway does not keep. */
  ignored: string | null
  before: string | null
  after: string | null
  outcome: string
  status: number | null
  /** How many like it this row stands for. */
  count: Generated<number>
  request_id: string | null
  /** The block that seals it; null for the newest. */
  block: Generated<number | null>
}

/** Seals the events that name it; stays when they are pruned. */
export interface AuditBlockRow {
  /** From 1, without a gap. */
  number: number
  /** The hash of the block before. */
  previous: string
  hash: string
  /** HMAC of the hash, by a key derived from SECRET_KEY. */
  seal: string
  /** Tells which SECRET_KEY it was. */
  key_id: string
  count: number
  first_at: number
  last_at: number
  sealed_at: number
  /** The start of each event's own digest, so that a wrong one can be named. */
  digests: string
  pruned_at: number | null
}

export interface AuditStateRow {
  name: string
  value: string
}
