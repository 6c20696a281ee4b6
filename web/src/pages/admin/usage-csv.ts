import type { UsageReport, UsageTotal } from "../../../../server/src/usage/schema.ts"
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
  "tokens_in",
  "tokens_out",
  "tokens_cache_read",
  "tokens_cache_write",
  "tokens_cache_write_1h",
  "tokens_reasoning",
  "tokens_audio_in",
  "tokens_audio_out",
  "tokens_image_in",
  "tokens_image_out",
  "attempts",
  "duration_ms",
  "time_to_first_token_ms",
] as const

const figuresOf = (item: UsageTotal): Cell[] =>
  figures.map((name) => (item[name] === null ? "" : Math.round(item[name])))

/** Totals as rows of a CSV file, each with the first and the last day of the period. */
export const usageCsvRows = (by: string, { items, from, to }: UsageReport): Cell[][] => {
  const names = nameColumns[by] ?? []
  const period = [formatUtcDay(from), formatUtcDay(to - daySeconds)]
  return [
    [by, ...names, ...figures, "from", "to"],
    ...items.map((item) => [
      item.key ?? "",
      ...names.map((name) => item[name] ?? ""),
      ...figuresOf(item),
      ...period,
    ]),
  ]
}
