import type { Database } from "../db/database.ts"
import { accountKindOf } from "./ledger/limit-rule.ts"
import { periodAt } from "./ledger/periods.ts"
import { rateStateAt } from "./ledger/rate.ts"
import { readTotals } from "./ledger/sql-slices.ts"
import { toRule } from "./limit-rules.ts"
import { resetOf, spentOf, toSeconds } from "./period-use.ts"
import type { Limit } from "./schema.ts"
import { limitAmountAt, type StoredLimit } from "./store.ts"

type LimitState = Pick<Limit, "spent" | "reserved" | "resets_at">

const readArrivals = async (
  db: Database,
  limits: readonly StoredLimit[],
): Promise<Map<string, number | null>> => {
  const ids = limits.filter((limit) => accountKindOf(limit) === "rate").map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const rows = await db.read
    .selectFrom("limits")
    .select(["id", "arrival_ms"])
    .where("id", "in", ids)
    .execute()
  return new Map(rows.map(({ id, arrival_ms }) => [id, arrival_ms]))
}

/**
 * What is used of limits, over all processes and as last reported by each.
 * @param at epoch ms
 */
export const readLimitStates = async (
  db: Database,
  limits: readonly StoredLimit[],
  at: number,
): Promise<LimitState[]> => {
  const arrivals = await readArrivals(db, limits)
  const periods = limits.map((limit) => ({
    limitId: limit.id,
    period: periodAt(toRule(limit), at),
  }))
  const totals = await readTotals(db, db.read, periods)

  const rateStateOf = (limit: StoredLimit): LimitState => {
    const amount = limitAmountAt(limit, at)
    const { spent, emptyAt } = rateStateAt({
      arrival: arrivals.get(limit.id) ?? null,
      amount,
      now: at,
    })
    return { spent, reserved: 0, resets_at: spent > 0 ? toSeconds(emptyAt) : null }
  }

  return limits.map((limit, position) => {
    const period = periods[position]?.period
    if (!period || accountKindOf(limit) === "rate") return rateStateOf(limit)
    const total = totals.get(position)
    return {
      spent: spentOf(total),
      reserved: total?.granted ?? 0,
      resets_at: toSeconds(resetOf(limit, period, total)),
    }
  })
}
