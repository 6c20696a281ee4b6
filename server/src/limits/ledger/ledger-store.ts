import type { Period } from "./periods.ts"

/** What a process states about one of its accounts with a sum or with slots. */
export interface SliceClaim {
  limitId: string
  period: Period
  /** Distinguishes accounts that the process opened one after the other for the same period. */
  opening: number
  /** Amount used since the account was opened, so that a claim can be repeated. */
  used: number
  /** What of it the last answered claim stated; counts if the lease was deleted meanwhile. */
  reported: number
  /** The part of its slice that it keeps in any case; it may reserve from it meanwhile. */
  keep: number
  /** What its requests need: open reservations and waiting requests. */
  need: number
  /** Of `need`, that of each waiting request: it is granted whole or not at all. */
  waiting: readonly number[]
  /** What it would like to have in addition, for the next requests. */
  ahead: number
}

/** The state of a limit after a claim. */
export interface SliceGrant {
  /** What the process may reserve from now, at least `keep`. */
  granted: number
  /** Of the whole window and all processes; what was written off is part of `spent`. */
  spent: number
  reserved: number
  amount: number
  /** When the oldest period of the window with anything spent stops counting, in epoch ms. */
  oldestCountsUntil: number | null
}

/** What a process asks of a limit per minute. */
export interface RateClaim {
  limitId: string
  /** What each waiting request needs: it is granted whole or not at all. */
  waiting: readonly number[]
  ahead: number
  /** What was used beyond what was taken. */
  charge: number
  /** What was taken but not used. */
  refund: number
  /** When the oldest part of the refund was taken, in epoch ms of the database's clock. */
  refundSince: number
}

export interface RateGrant {
  granted: number
  /** Whether the grant may be used for `aheadMs`, and not only at once. */
  isAhead: boolean
  /** What is used of the burst, after the grant. */
  level: number
  amount: number
}

export interface ClaimRequest {
  processId: string
  /** Of the process's clock, in epoch ms. */
  at: number
  slices: readonly SliceClaim[]
  rates: readonly RateClaim[]
}

/** In the order of the claims; null if the limit no longer exists. */
export interface ClaimReply {
  /** Of the clock that rates are measured by, in epoch ms. */
  at: number
  slices: readonly (SliceGrant | null)[]
  rates: readonly (RateGrant | null)[]
  /**
   * Whether another process took this one for dead in the meantime. Its slices are its own again;
   * slots that it still uses count only after it has claimed them.
   */
  wasClosed: boolean
}

export interface LeaseHolder {
  processId: string
  /** Increases with each claim. */
  heartbeat: number
}

/** Where accounts and leases are kept. Each method is one transaction. */
export interface LedgerStore {
  /** Settles and grants all claims at once. @throws if the database fails; the outcome is unknown */
  claim(request: ClaimRequest): Promise<ClaimReply>
  /** Processes whose leases are not closed. */
  readHolders(): Promise<LeaseHolder[]>
  /**
   * Writes off what a dead process was granted, and frees its slots.
   * @returns false if the process has made a claim since `heartbeat` was read
   */
  closeLeases(holder: LeaseHolder): Promise<boolean>
}
