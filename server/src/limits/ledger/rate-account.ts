import {
  type Account,
  type BlockTimes,
  type ClaimOptions,
  type ClaimTimes,
  type Hold,
  maxViewAgeMs,
} from "./account.ts"
import type { BlockedLimit, LimitState } from "./blocked-limit.ts"
import type { RateClaim, RateGrant } from "./ledger-store.ts"
import type { LimitRule } from "./limit-rule.ts"
import type { Period } from "./periods.ts"
import { aheadMs, rateDelayMs } from "./rate.ts"
import { createUseEstimate } from "./use-estimate.ts"
import { WaitingAmounts } from "./waiting-amounts.ts"

/** Tokens that were taken from the rate by one claim. */
interface Batch {
  amount: number
  /** In epoch ms of the database's clock. */
  takenAt: number
  /** In monotonic ms. */
  expiresAt: number
}

/** This process's part of a limit per minute. */
export class RateAccount implements Account {
  rule: LimitRule
  readonly period: Period
  readonly #estimate = createUseEstimate()
  isQueued = false
  readonly waiting = new WaitingAmounts()
  /** In the order in which they were taken. */
  #batches: Batch[] = []
  #open = 0
  #charge = 0
  #claimedCharge = 0
  #refund = 0
  #refundSince = Number.POSITIVE_INFINITY
  #grant: RateGrant | null = null
  #grantedAt = Number.NEGATIVE_INFINITY
  #isViewExpired = false
  #isRemoved = false

  constructor(rule: LimitRule, period: Period) {
    this.rule = rule
    this.period = period
  }

  #available(steadyMs: number): number {
    let amount = 0
    for (const batch of this.#batches) if (batch.expiresAt >= steadyMs) amount += batch.amount
    return amount
  }

  canReserve(amount: number, steadyMs: number): boolean {
    if (this.#isRemoved) return true
    if (this.rule.mode === "soft") return this.#canSpend(steadyMs)
    // Almost always, the first batch suffices.
    const [first] = this.#batches
    if (first && first.expiresAt >= steadyMs && first.amount >= amount) return true
    return this.#available(steadyMs) >= amount
  }

  #canSpend(steadyMs: number): boolean {
    if (this.#grant === null || this.#isViewExpired) return false
    if (steadyMs - this.#grantedAt >= maxViewAgeMs) return false
    return this.#levelAt(steadyMs) < this.#grant.amount
  }

  expireView(): void {
    this.#isViewExpired = true
  }

  reserve(amount: number, steadyMs: number): Hold {
    this.#open++
    // Without `takenAt`, all that is used is charged when it is known.
    if (this.rule.mode === "soft" || this.#isRemoved)
      return { account: this, reserved: 0, takenAt: null }
    this.#estimate.add(amount)
    this.#returnExpired(steadyMs)
    const takenAt = this.#batches[0]?.takenAt ?? Number.NEGATIVE_INFINITY
    let missing = amount
    while (missing > 0 && this.#batches[0]) {
      const [batch] = this.#batches
      const taken = Math.min(batch.amount, missing)
      missing -= taken
      batch.amount -= taken
      if (batch.amount === 0) this.#batches.shift()
    }
    // Only when requests are admitted without the database.
    this.#charge += missing
    return { account: this, reserved: amount, takenAt }
  }

  settle({ reserved, takenAt }: Hold, used: number): void {
    this.#open--
    if (used > reserved) this.#charge += used - reserved
    else if (used < reserved && takenAt !== null) this.#addRefund(reserved - used, takenAt)
  }

  #addRefund(amount: number, since: number): void {
    this.#refund += amount
    this.#refundSince = Math.min(this.#refundSince, since)
  }

  #returnExpired(steadyMs: number): void {
    while (this.#batches[0] && this.#batches[0].expiresAt < steadyMs) this.#returnFirst()
  }

  #returnFirst(): void {
    const batch = this.#batches.shift()
    if (batch) this.#addRefund(batch.amount, batch.takenAt)
  }

  createClaim({ steadyMs, takesAhead }: ClaimOptions): RateClaim {
    const estimated = Math.max(this.waiting.sum, this.#estimate.next(steadyMs))
    const wished = this.rule.mode === "soft" || !takesAhead ? 0 : estimated
    this.#returnExpired(steadyMs)
    while (wished === 0 && this.waiting.sum === 0 && this.#batches.length > 0) this.#returnFirst()
    const ahead = Math.max(0, wished - this.#available(steadyMs))
    const waiting = this.rule.mode === "soft" ? [] : this.waiting.list()
    const { refund, refundSince } = this.#takeRefund()
    this.#claimedCharge = this.#charge
    return { limitId: this.rule.id, waiting, ahead, charge: this.#charge, refund, refundSince }
  }

  /** A refund is claimed once only: if the reply is lost, it may have been credited. */
  #takeRefund(): { refund: number; refundSince: number } {
    const taken = { refund: this.#refund, refundSince: this.#refund > 0 ? this.#refundSince : 0 }
    this.#refund = 0
    this.#refundSince = Number.POSITIVE_INFINITY
    return taken
  }

  /** @param grant null if the limit was deleted */
  acceptGrant(grant: RateGrant | null, { takenAt, sentAt }: ClaimTimes): void {
    this.#isRemoved = grant === null
    if (!grant) return
    this.#charge -= this.#claimedCharge
    this.#claimedCharge = 0
    this.#grant = grant
    this.#grantedAt = sentAt
    this.#isViewExpired = false
    if (grant.granted === 0) return
    // What is not taken ahead is used for the waiting requests at once, or returned.
    const expiresAt = grant.isAhead ? sentAt + aheadMs : sentAt
    this.#batches.push({ amount: grant.granted, takenAt, expiresAt })
  }

  get isDirty(): boolean {
    if (this.#isRemoved) return false
    return this.#charge > 0 || this.#refund > 0 || this.#batches.length > 0
  }

  get isEmpty(): boolean {
    return this.#open === 0 && this.waiting.sum === 0 && !this.isDirty
  }

  /** The part of the burst that is used; what this process took ahead counts as used. */
  #levelAt(steadyMs: number): number {
    const { level, amount } = this.#grant ?? { level: 0, amount: 0 }
    const drained = ((steadyMs - this.#grantedAt) * amount) / 60_000
    return Math.max(0, level - drained) + this.#charge
  }

  describeBlock(needed: number, { steadyMs, at }: BlockTimes): BlockedLimit {
    const { amount, level } = this.#grant ?? { amount: 0, level: 0 }
    const taken = this.#available(steadyMs)
    // What was granted, but does not suffice, is returned.
    const spent = Math.max(0, level - taken)
    const available = Math.max(taken, Math.floor(amount - spent))
    const delayMs = rateDelayMs(spent, this.rule.mode === "soft" ? 1 : needed, amount)
    const { id: limitId, metric } = this.rule
    const limit = { limitId, metric, amount, spent, reserved: 0, needed, available }
    return { ...limit, reason: "rate", passesAt: at + delayMs }
  }

  describe(steadyMs: number, at: number): LimitState | null {
    if (!this.#grant) return null
    const { amount } = this.#grant
    const spent = Math.max(0, this.#levelAt(steadyMs) - this.#available(steadyMs))
    const resetsAt = at + (spent / Math.max(amount, 1)) * 60_000
    return { limitId: this.rule.id, amount, spent, reserved: 0, resetsAt }
  }
}
