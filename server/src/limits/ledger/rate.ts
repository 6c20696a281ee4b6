import { limitAhead } from "./grant.ts"
import type { RateClaim, RateGrant } from "./ledger-store.ts"
import { sumOfFitting } from "./waiting-amounts.ts"

const windowMs = 60_000
/** How long tokens that were taken ahead may be used. */
export const aheadMs = 1000
/** Rounding errors of times in double precision. */
const tolerance = 1e-6

interface RateState {
  /** Theoretical arrival time in epoch ms; null if nothing was charged. */
  arrival: number | null
  amount: number
  now: number
}

/**
 * The generic cell rate algorithm (ITU-T I.371) with an emission interval of a minute divided by
 * the amount, and the amount as the burst: in any `t` ms, it admits at most
 * `amount × (1 + t / 60,000)`.
 *
 * Tokens taken ahead are charged as if they arrived at the end of the time in which they may be
 * used, so the bound also holds for the time of use. Of a refund, what has drained since it was
 * taken is kept: without the refunded tokens, it might not have drained.
 */
export const applyRateClaim = (
  { arrival, amount, now }: RateState,
  { waiting, ahead, charge, refund, refundSince }: RateClaim,
): RateGrant & { arrival: number } => {
  const intervalMs = windowMs / Math.max(amount, tolerance)
  const burstEnd = now + amount * intervalMs
  const drained = Math.max(0, now - refundSince) / intervalMs
  const change = charge - Math.max(0, refund - drained)
  // After the clock was set back, no one waits longer than for two bursts.
  const before = Math.min(Math.max(arrival ?? now, now), now + 2 * windowMs)
  const charged = Math.min(Math.max(before + change * intervalMs, now), now + 2 * windowMs)

  const roomFrom = (start: number): number =>
    amount > 0 ? Math.max(0, Math.floor((burstEnd - start) / intervalMs + tolerance)) : 0
  const needed = sumOfFitting(waiting, roomFrom(charged))
  const aheadStart = Math.max(charged, now + aheadMs)
  const room = roomFrom(aheadStart)
  const extra = limitAhead(ahead, room - needed)
  const isAhead = needed <= room && extra > 0
  const granted = isAhead ? needed + extra : needed
  const after = granted === 0 ? charged : (isAhead ? aheadStart : charged) + granted * intervalMs
  return { granted, isAhead, amount, arrival: after, level: (after - now) / intervalMs }
}

/**
 * When a request may pass, in ms from now; Infinity if it never does.
 * @param level what is used of the burst
 */
export const rateDelayMs = (level: number, needed: number, amount: number): number =>
  needed > amount
    ? Number.POSITIVE_INFINITY
    : Math.max(0, level + needed - amount) * (windowMs / amount)

/** What is used of the burst, and when nothing of it will be, in epoch ms. */
export const rateStateAt = ({
  arrival,
  amount,
  now,
}: RateState): { spent: number; emptyAt: number } => {
  const emptyAt = Math.max(arrival ?? now, now)
  const intervalMs = windowMs / Math.max(amount, tolerance)
  return { spent: Math.ceil((emptyAt - now) / intervalMs - tolerance), emptyAt }
}
