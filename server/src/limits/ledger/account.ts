import type { BlockedLimit, LimitState } from "./blocked-limit.ts"
import type { LimitRule } from "./limit-rule.ts"
import type { Period } from "./periods.ts"
import type { WaitingAmounts } from "./waiting-amounts.ts"

/** How old the view of a soft limit may be; it is read again in the background before. */
export const maxViewAgeMs = 5000

/** This process's part of a limit in one period. Times are monotonic ms, except for `at`. */
export interface Account {
  rule: LimitRule
  readonly period: Period
  /** Whether it is in the list of accounts to claim. */
  isQueued: boolean
  readonly waiting: WaitingAmounts
  /** Whether something is to be reported or returned. */
  readonly isDirty: boolean
  /** Whether it can be dropped: everything was settled, reported and returned. */
  readonly isEmpty: boolean
  canReserve(amount: number, steadyMs: number): boolean
  /** Call when the limit's amount or mode may have changed: a soft limit is then read again. */
  expireView(): void
  /** Call only after `canReserve`, or to admit a request regardless of the limit. */
  reserve(amount: number, steadyMs: number): Hold
  settle(hold: Hold, used: number): void
  /** Why a request for `needed` cannot pass. */
  describeBlock(needed: number, times: BlockTimes): BlockedLimit
  /** The limit as far as this process knows; null before the first claim. @param at epoch ms */
  describe(steadyMs: number, at: number): LimitState | null
}

/** What one request reserved in one account. */
export interface Hold {
  account: Account
  reserved: number
  /** When it was taken from a rate, in epoch ms of the database's clock; null if it was not. */
  takenAt: number | null
}

/** Now. */
export interface BlockTimes {
  /** In monotonic ms. */
  steadyMs: number
  /** In epoch ms. */
  at: number
}

export interface ClaimOptions {
  /** Now, in monotonic ms. */
  steadyMs: number
  /** Whether to claim more than open reservations and waiting requests need. */
  takesAhead: boolean
}

export interface ClaimTimes {
  /** When the database answered, in epoch ms of its clock. */
  takenAt: number
  /** When the claim was sent, in monotonic ms. */
  sentAt: number
}
