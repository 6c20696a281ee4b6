import type { SqlBoolean } from "./column-types.ts"

/** Amounts are integers: nano-dollars, tokens, requests, or requests in flight. */
export interface LimitRow {
  id: string
  /** `everyone`, `group`, `user`, `key`, `model` or `connection`. */
  target_type: string
  target_id: string | null
  /** Restricts the target's requests to one model. */
  model: string | null
  metric: string
  amount: number
  time_window: string
  mode: string
  time_zone: string
  rolling: SqlBoolean
  /** A temporary raise; null if there is none. */
  raise_amount: number | null
  /** Epoch milliseconds; so are all times of these tables. */
  raise_until_ms: number | null
  /** Theoretical arrival time of a limit per minute; null if nothing was charged. */
  arrival_ms: number | null
  /** `administrator`, `manager` or `owner`. */
  set_by: string
  /** The group whose manager set it; null otherwise. */
  group_id: string | null
  created_ms: number
  updated_ms: number
}

/** What was used of a limit in one period. Written only while the limit's row is locked. */
export interface LimitAccountRow {
  limit_id: string
  period: string
  /** Periods that count toward the limit together, such as the buckets of a rolling window. */
  series: string
  starts_ms: number
  /** When it no longer counts; null if it always does. */
  counts_until_ms: number | null
  spent: number
  /** What dead processes were granted and may have used. */
  written_off: number
  /** The sum of its leases. */
  granted: number
}

/** What one process may use of an account without asking. */
export interface LimitLeaseRow {
  process_id: string
  limit_id: string
  period: string
  granted: number
  /** As last reported since the process opened the account. */
  used: number
  opening: number
  /** The part of the account's `written_off` that becomes `granted` again if the process returns. */
  written_off: number
}

/** A process that has leases. */
export interface LimitProcessRow {
  id: string
  /** Increases with each claim. */
  heartbeat: number
  /** 1 once its leases were closed because it seemed dead. */
  is_closed: SqlBoolean
  /** When the hourly deletion first found it closed; null before. */
  closed_ms: number | null
  /** 1 once its leases were deleted because it had been closed for a day. */
  has_lost_leases: SqlBoolean
}

/** The highest warning that was given of a limit. */
export interface LimitWarningRow {
  limit_id: string
  /** The series of periods in which it was given. */
  period: string
  /** 80 or 100; 0 after the amount was raised. */
  level: number
  /** That of the limit when the warning was given. */
  amount: number
  warned_ms: number
}

export interface LimitTables {
  limits: LimitRow
  limit_accounts: LimitAccountRow
  limit_leases: LimitLeaseRow
  limit_processes: LimitProcessRow
  limit_warnings: LimitWarningRow
}
