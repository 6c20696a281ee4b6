import {
  type Account,
  type BlockTimes,
  type ClaimOptions,
  type ClaimTimes,
  type Hold,
  maxViewAgeMs,
} from "./account.ts"
import type { BlockedLimit, LimitState } from "./blocked-limit.ts"
import { limitAhead } from "./grant.ts"
import type { SliceClaim, SliceGrant } from "./ledger-store.ts"
import { type LimitRule, maxAmount } from "./limit-rule.ts"
import type { Period } from "./periods.ts"
import { createUseEstimate } from "./use-estimate.ts"
import { WaitingAmounts } from "./waiting-amounts.ts"

/** Slots are freed for others some time after this, when the process no longer reaches the database. */
const maxSlotAgeMs = 5000

/** How many times what was reserved in the last second is taken ahead, as far as 2 % suffice. */
const riseFactor = 2

/** When to try again if requests in flight hold what is missing. */
const retryMs = 1000

/** The last claim of this process that was answered. */
export interface Renewal {
  /** When it was sent, in monotonic ms. */
  at: number
}

interface SliceAccountOptions {
  rule: LimitRule
  period: Period
  /** Distinguishes it from earlier accounts of the same period. */
  opening: number
  renewal: Renewal
}

/** This process's part of a limit in one period: a sum, or slots for requests in flight. */
export class SliceAccount implements Account {
  rule: LimitRule
  readonly period: Period
  readonly #opening: number
  readonly #renewal: Renewal
  readonly #isSlots: boolean
  readonly #estimate = createUseEstimate()
  isQueued = false
  readonly waiting = new WaitingAmounts()
  /** What is left to reserve and to settle; includes `#open`. */
  #slice = 0
  #open = 0
  /** Requests that have not been settled; those of soft limits reserve nothing. */
  #holds = 0
  #used = 0
  #claimedUse = 0
  #claimedKeep = 0
  #reportedUse = 0
  #grant: SliceGrant | null = null
  /** When the last answered claim was sent, in monotonic ms. */
  #grantedAt = Number.NEGATIVE_INFINITY
  /** False while the database may hold more for this process than the account knows. */
  #isAnswered = true
  /** Whether the limit was deleted: nothing is reserved any more. */
  #isRemoved = false

  constructor({ rule, period, opening, renewal }: SliceAccountOptions) {
    this.rule = rule
    this.period = period
    this.#opening = opening
    this.#renewal = renewal
    this.#isSlots = rule.metric === "concurrency"
  }

  get #isSoft(): boolean {
    return this.rule.mode === "soft" && !this.#isSlots
  }

  /** Spent in the window by all processes, as far as this one knows. */
  get spent(): number {
    return (this.#grant?.spent ?? 0) + this.#usedSinceGrant
  }

  /** What an unanswered claim reports is not part of the grant yet. */
  get #usedSinceGrant(): number {
    return this.#used - this.#reportedUse
  }

  canReserve(amount: number, steadyMs: number): boolean {
    if (this.#isRemoved) return true
    if (this.#isSoft) return this.#canSpend(steadyMs)
    if (this.#isSlots && !this.#areSlotsValid(steadyMs)) return false
    return this.#slice - this.#open >= amount
  }

  #canSpend(steadyMs: number): boolean {
    if (this.#grant === null || steadyMs - this.#grantedAt >= maxViewAgeMs) return false
    return this.spent < this.#grant.amount
  }

  expireView(): void {
    this.#grantedAt = Number.NEGATIVE_INFINITY
  }

  reserve(amount: number): Hold {
    const reserved = this.#isSoft ? 0 : amount
    this.#holds++
    this.#open += reserved
    this.#estimate.add(reserved)
    return { account: this, reserved, takenAt: null }
  }

  settle({ reserved }: Hold, used: number): void {
    this.#holds--
    this.#open -= reserved
    if (this.#isSlots) return
    this.#slice -= used
    this.#used = Math.min(maxAmount, this.#used + used)
  }

  /** Until the grant arrives, only what the claim keeps can be reserved. */
  createClaim({ steadyMs, takesAhead }: ClaimOptions): SliceClaim {
    const waiting = this.#isSoft ? [] : this.waiting.list()
    const need = this.#isSoft ? this.#open : this.#open + this.waiting.sum
    // The first requests have not been reserved yet.
    // All requests wait while a slice that they used up is claimed, so it allows for a rise.
    const wished = Math.max(this.waiting.sum, this.#estimate.next(steadyMs) * riseFactor)
    const ahead = this.#isSoft || !takesAhead ? 0 : wished
    const spare = this.#limitSpare(ahead, { need, steadyMs })
    const keep = Math.min(maxAmount, Math.max(this.#open, Math.min(this.#slice, need + spare)))
    this.#slice = keep
    this.#claimedUse = this.#used
    this.#claimedKeep = keep
    this.#isAnswered = false
    const { rule, period } = this
    const claim = { limitId: rule.id, period, opening: this.#opening }
    return { ...claim, used: this.#used, reported: this.#reportedUse, keep, need, waiting, ahead }
  }

  /** What to keep of the slice beyond `need`: no more than the database would grant ahead. */
  #limitSpare(ahead: number, { need, steadyMs }: { need: number; steadyMs: number }): number {
    // Slots that are not in use may be those of others by now. None is lost with a process.
    if (this.#isSlots) return this.#areSlotsValid(steadyMs) ? ahead : 0
    return limitAhead(ahead, this.#left - need)
  }

  /** What is left for this process, with all that it has reserved. */
  get #left(): number {
    if (!this.#grant) return 0
    const { amount, reserved, granted } = this.#grant
    return amount - this.spent - (reserved - granted)
  }

  #areSlotsValid(steadyMs: number): boolean {
    return steadyMs - this.#renewal.at < maxSlotAgeMs
  }

  /** @param grant null if the limit was deleted */
  acceptGrant(grant: SliceGrant | null, { sentAt }: ClaimTimes): void {
    this.#isRemoved = grant === null
    this.#isAnswered = true
    if (!grant) return
    this.#slice += grant.granted - this.#claimedKeep
    this.#reportedUse = this.#claimedUse
    this.#grant = grant
    this.#grantedAt = sentAt
  }

  get isDirty(): boolean {
    if (this.#isRemoved) return false
    if (!this.#isAnswered) return true
    return this.#used !== this.#claimedUse || this.#slice > this.#open
  }

  /** Whether the database holds something for this process, as of the last claim. */
  get isLeased(): boolean {
    return !this.#isRemoved && this.#grant !== null && this.#grant.granted > 0
  }

  get isEmpty(): boolean {
    return this.#holds === 0 && this.waiting.sum === 0 && !this.isDirty
  }

  describeBlock(needed: number, { at }: BlockTimes): BlockedLimit {
    const { amount, reserved } = this.#grant ?? { amount: 0, reserved: 0 }
    const available = Math.max(0, this.#slice - this.#open, this.#left - this.#open)
    const { spent } = this
    const limit = {
      limitId: this.rule.id,
      metric: this.rule.metric,
      amount,
      spent,
      reserved,
      needed,
      available,
    }
    const isSpent = this.#isSoft ? spent >= amount : spent + needed > amount
    if (this.#isSlots || !isSpent) return { ...limit, reason: "reserved", passesAt: at + retryMs }
    const passesAt = !this.#isSoft && needed > amount ? Number.POSITIVE_INFINITY : this.#resetsAt
    return { ...limit, reason: "spent", passesAt }
  }

  /** When something that was spent stops counting, in epoch ms; Infinity if it never does. */
  get #resetsAt(): number {
    return this.rule.rolling
      ? (this.#grant?.oldestCountsUntil ?? this.period.endsAt)
      : this.period.endsAt
  }

  describe(): LimitState | null {
    if (!this.#grant) return null
    const { amount } = this.#grant
    const reserved = Math.max(0, this.#grant.reserved - this.#usedSinceGrant)
    const resetsAt = this.#isSlots ? Number.POSITIVE_INFINITY : this.#resetsAt
    return { limitId: this.rule.id, amount, spent: this.spent, reserved, resetsAt }
  }
}
