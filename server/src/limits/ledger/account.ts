import type { RateAccount } from "./rate-account.ts"
import type { SliceAccount } from "./slice-account.ts"

/** This process's part of a limit in one period. */
export type Account = SliceAccount | RateAccount

/** What one request reserved in one account. */
export interface Hold {
  account: { settle(hold: Hold, used: number): void }
  reserved: number
  /** When it was taken from a rate, in epoch ms of the database's clock; null if it was not. */
  takenAt: number | null
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
