import type { SliceClaim } from "./ledger-store.ts"
import { maxAmount } from "./limit-rule.ts"
import { sumOfFitting } from "./waiting-amounts.ts"

/** Of what is left, what one process may take ahead: it is lost if the process is killed. */
const maxAheadShare = 0.02

/** @param left what is left for one process besides what it needs */
export const limitAhead = (ahead: number, left: number): number =>
  Math.min(ahead, Math.floor(Math.max(0, left) * maxAheadShare))

/** The sums of a limit's window, over all processes. */
export interface WindowTotals {
  spent: number
  writtenOff: number
  granted: number
  /** When the oldest period with anything spent stops counting, in epoch ms. */
  oldestCountsUntil: number | null
}

/** What one process holds of one account. */
export interface Lease {
  granted: number
  /** As of the last claim. */
  used: number
  opening: number
  /** What `granted` was when others took the process for dead; 0 if they did not. */
  writtenOff: number
}

export const emptyTotals: WindowTotals = {
  spent: 0,
  writtenOff: 0,
  granted: 0,
  oldestCountsUntil: null,
}
export const emptyLease: Lease = { granted: 0, used: 0, opening: 0, writtenOff: 0 }

/** What a claim changes. */
export interface SliceDecision {
  /** Added to the period's `spent`. */
  spent: number
  /** The lease's new `granted`. */
  granted: number
}

/**
 * Decides a claim: `spent + written off + granted` stays within the amount, except for what a
 * provider used beyond its reservation, and for what was granted before the amount was reduced.
 */
export const decideSliceClaim = (
  claim: Omit<SliceClaim, "limitId" | "period">,
  { totals, lease, amount }: { totals: WindowTotals; lease: Lease; amount: number },
): SliceDecision => {
  const used = Math.max(0, claim.used - (claim.opening === lease.opening ? lease.used : 0))
  const spent = Math.max(0, Math.min(used, maxAmount - totals.spent))
  const others = totals.spent + totals.writtenOff + totals.granted - lease.granted
  const left = Math.max(0, amount - others - spent)
  const open = claim.need - claim.waiting.reduce((sum, one) => sum + one, 0)
  const needed = Math.min(open, left) + sumOfFitting(claim.waiting, left - open)
  const ahead = limitAhead(claim.ahead, left - needed)
  return { spent, granted: Math.min(maxAmount, Math.max(claim.keep, needed + ahead)) }
}
