import type { Database } from "../../db/database.ts"
import { accountKindOf } from "../ledger/limit-rule.ts"
import { type Period, periodAt } from "../ledger/periods.ts"
import { readTotals } from "../ledger/sql-slices.ts"
import { toRule } from "../limit-rules.ts"
import { resetOf, spentOf } from "../period-use.ts"
import { limitAmountAt, type StoredLimit } from "../store.ts"

/** What is spent of a limit in its present period. */
export interface LimitUse {
  limit: StoredLimit
  period: Period
  amount: number
  spent: number
  /** When something that is spent stops counting, in epoch ms; null if nothing does. */
  resetsAt: number | null
}

/** Limits per minute and of requests in flight are reached and left too often to warn of them. */
export const isSpendable = (limit: StoredLimit): boolean => accountKindOf(limit) === "sum"

/** Periods of limits at one time, each computed once for all limits that have the same. */
const createPeriods = (at: number): ((limit: StoredLimit) => Period) => {
  const periodByRule = new Map<string, Period>()
  return (limit) => {
    const key = `${limit.window} ${limit.rolling} ${limit.time_zone}`
    const period = periodByRule.get(key) ?? periodAt(toRule(limit), at)
    periodByRule.set(key, period)
    return period
  }
}

/** @param at epoch ms */
export const createUseReader = (db: Pick<Database, "dialect" | "backgroundReader">, at: number) => {
  const periodOf = createPeriods(at)
  return async (limits: readonly StoredLimit[]): Promise<LimitUse[]> => {
    const periods = limits.map((limit) => ({ limitId: limit.id, period: periodOf(limit) }))
    const totals = await readTotals(db, db.backgroundReader, periods)
    return limits.map((limit, position) => {
      const period = periodOf(limit)
      const total = totals.get(position)
      return {
        ...{ limit, period },
        amount: limitAmountAt(limit, at),
        spent: spentOf(total),
        resetsAt: resetOf(limit, period, total),
      }
    })
  }
}
