import type { Account } from "./account.ts"
import { accountKindOf, hasSamePeriods, type LimitRule } from "./limit-rule.ts"
import { type Period, periodAt } from "./periods.ts"
import { RateAccount } from "./rate-account.ts"
import { type Renewal, SliceAccount } from "./slice-account.ts"

interface Deps {
  renewal: Renewal
  /** Claims an account in the background, after which it may be dropped. */
  queue: (account: Account) => void
}

/** A limit with this process's accounts: that of the current period, and earlier ones in use. */
export class TrackedLimit {
  #rule: LimitRule
  readonly #deps: Deps
  readonly #accountsByPeriod = new Map<string, Account>()
  #current: Account | null = null
  #openings = 0

  constructor(rule: LimitRule, deps: Deps) {
    this.#rule = rule
    this.#deps = deps
  }

  get rule(): LimitRule {
    return this.#rule
  }

  get accounts(): IterableIterator<Account> {
    return this.#accountsByPeriod.values()
  }

  /** Open reservations stay in the accounts in which they were made. */
  update(rule: LimitRule): void {
    const hasOtherPeriods = !hasSamePeriods(rule, this.#rule)
    this.#rule = rule
    if (hasOtherPeriods) this.#leaveCurrent()
    for (const account of this.#accountsByPeriod.values()) {
      account.rule = rule
      account.expireView()
    }
  }

  /** @param at epoch ms */
  accountAt(at: number): Account {
    const current = this.#current
    if (current && at < current.period.endsAt && at >= current.period.startsAt) return current
    return this.#openAt(at)
  }

  #openAt(at: number): Account {
    this.#leaveCurrent()
    const period = periodAt(this.#rule, at)
    const account = this.#accountsByPeriod.get(period.key) ?? this.#createAccount(period)
    this.#accountsByPeriod.set(period.key, account)
    this.#current = account
    return account
  }

  /** What the account no longer uses is returned, and then it is dropped. */
  #leaveCurrent(): void {
    if (this.#current) this.#deps.queue(this.#current)
    this.#current = null
  }

  #createAccount(period: Period): Account {
    const rule = this.#rule
    if (accountKindOf(rule) === "rate") return new RateAccount(rule, period)
    const { renewal } = this.#deps
    return new SliceAccount({ rule, period, opening: ++this.#openings, renewal })
  }

  /**
   * Drops an account that is empty and not the current one. One that will be claimed once more stays:
   * a later account of the same period must not be claimed together with it.
   */
  dropIfUnused(account: Account): void {
    if (account === this.#current || account.isQueued || !account.isEmpty) return
    this.#accountsByPeriod.delete(account.period.key)
  }
}
