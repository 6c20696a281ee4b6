import type { LimitRule, Metric } from "../../src/limits/ledger/limit-rule.ts"
import type { Period } from "../../src/limits/ledger/periods.ts"

/** An account as the oracle counts it: without slices, leases or claims. */
interface ModelAccount {
  limitId: string
  period: Period
  settled: number
  open: number
  /** What was used beyond reservations. */
  overrun: number
  settledByProcess: Map<string, number>
  /** What dead processes had reserved; it may have been used. */
  openAtDeath: Map<string, number>
}

/** What one request reserved in one account. */
export interface ModelHold {
  account: ModelAccount
  amount: number
  metric: Metric
}

/** Counts what ledgers admit, as if there were one process and one counter for each account. */
export const createLedgerModel = () => {
  const accounts = new Map<string, ModelAccount>()

  const accountOf = (limitId: string, period: Period): ModelAccount => {
    const key = `${limitId} ${period.key}`
    const known = accounts.get(key)
    if (known) return known
    const account: ModelAccount = {
      ...{ limitId, period, settled: 0, open: 0, overrun: 0 },
      settledByProcess: new Map(),
      openAtDeath: new Map(),
    }
    accounts.set(key, account)
    return account
  }

  return {
    accounts,
    reserve: ({ id, metric }: LimitRule, period: Period, amount: number): ModelHold => {
      const account = accountOf(id, period)
      account.open += amount
      return { account, amount, metric }
    },
    settle: (
      { account, amount }: Pick<ModelHold, "account" | "amount">,
      used: number,
      processId: string,
    ): void => {
      account.open -= amount
      account.settled += used
      account.overrun += Math.max(0, used - amount)
      const settled = account.settledByProcess.get(processId) ?? 0
      account.settledByProcess.set(processId, settled + used)
    },
    lose: ({ account, amount }: ModelHold, processId: string): void => {
      account.openAtDeath.set(processId, (account.openAtDeath.get(processId) ?? 0) + amount)
    },
    /** What counts toward a limit in the window that ends in `period`, without overruns. */
    totalOf: (limitId: string, period: Period): number => {
      let total = 0
      for (const account of accounts.values()) {
        if (account.limitId !== limitId || account.period.startsAt < period.windowStartsAt) continue
        if (account.period.series !== period.series) continue
        total += account.settled + account.open - account.overrun
      }
      return total
    },
  }
}
