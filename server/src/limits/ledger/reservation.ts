import type { Account, Hold } from "./account.ts"
import type { BlockedLimit } from "./blocked-limit.ts"
import { type Amounts, limitAmounts } from "./limit-rule.ts"

const nothing: Amounts = { requests: 0, tokens: 0, cost: 0, concurrency: 0 }

/** What a request may use. Settle or cancel it exactly once; later calls have no effect. */
export class Reservation {
  readonly isAdmitted = true
  readonly #holds: readonly Hold[]
  readonly #worstCase: Amounts
  readonly #queue: (account: Account) => void
  #isOpen = true

  constructor(reserved: {
    holds: readonly Hold[]
    worstCase: Amounts
    queue: (account: Account) => void
  }) {
    this.#holds = reserved.holds
    this.#worstCase = reserved.worstCase
    this.#queue = reserved.queue
  }

  /**
   * Charges what was used to the accounts in which it was reserved.
   * @returns whether more was used than reserved, of any metric with a hard limit
   */
  settle(reported: Amounts): boolean {
    if (!this.#isOpen) return false
    this.#isOpen = false
    const used = limitAmounts(reported)
    let isOverrun = false
    for (const hold of this.#holds) {
      const { account } = hold
      const { metric, mode } = account.rule
      account.settle(hold, used[metric])
      this.#queue(account)
      if (mode === "hard" && used[metric] > this.#worstCase[metric]) isOverrun = true
    }
    return isOverrun
  }

  /** For a request that was not sent: it costs nothing. */
  cancel(): void {
    this.settle(nothing)
  }
}

/** Nothing was reserved, and nothing is charged. */
export interface Rejection {
  readonly isAdmitted: false
  /** The limit to name; null if the database cannot be reached. */
  readonly blocked: BlockedLimit | null
}

export type Admission = Reservation | Rejection
