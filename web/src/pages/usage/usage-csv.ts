import { formatExactDollars } from "../../../../server/src/usage/exact-dollars.ts"
import type { UsageReport, UsageTotal } from "../../../../server/src/usage/schema.ts"
import { tokenKinds } from "../../../../server/src/usage/token-counts.ts"
import type { Cell } from "../../lib/csv.ts"
import { daySeconds, formatUtcDay } from "../../lib/utc-days.ts"

/** Columns that name what the first column has the ID of. */
const nameColumns: Record<string, readonly ("name" | "email")[]> = {
  user: ["name", "email"],
  group: ["name"],
  key: ["name"],
}

const figures = [
  "requests",
  "errors",
  "unpriced",
  ...tokenKinds,
  "attempts",
  "duration_ms",
  "time_to_first_token_ms",
] as const

const figuresOf = (item: UsageTotal): Cell[] =>
  figures.map((name) => (item[name] === null ? "" : Math.round(item[name])))

/**
 * Totals as rows of a CSV file, each with the first and the last day of the period.
 * @param by name of the first column, of whatever the totals are of
 */
export const usageCsvRows = (by: string, { items, from, to }: UsageReport): Cell[][] => {
  const names = nameColumns[by] ?? []
  const isByTime = items.some(({ start }) => start !== null)
  const period = [formatUtcDay(from), formatUtcDay(to - daySeconds)]
  const startOf = ({ start }: UsageTotal): Cell[] =>
    isByTime ? [start === null ? "" : new Date(start * 1000).toISOString()] : []
  return [
    [...(isByTime ? ["start"] : []), by, ...names, "cost_usd", ...figures, "from", "to"],
    ...items.map((item) => [
      ...startOf(item),
      item.is_rest ? "(rest)" : (item.key ?? ""),
      ...names.map((name) => item[name] ?? ""),
      formatExactDollars(item.cost),
      ...figuresOf(item),
      ...period,
    ]),
  ]
}
