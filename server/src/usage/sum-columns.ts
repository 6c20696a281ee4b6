import { type RawBuilder, sql } from "kysely"
import type { Database } from "../db/database.ts"
import { fieldByDimension } from "./dimensions.ts"
import type { UsageInterval } from "./schema.ts"
import { tokenKinds } from "./token-counts.ts"

export const secondsPerHour = 3600
export const secondsPerDay = 86_400

/** What tells requests apart in sums. */
export const dimensionColumns = Object.values(fieldByDimension)

/** What is added up. Means are sums divided by counts, so that they can be added up as well. */
export const summedColumns = [
  "requests",
  "attempts",
  ...tokenKinds,
  ...(["cost", "unpriced", "duration_ms", "first_tokens", "first_token_ms"] as const),
] as const

export type SummedColumn = (typeof summedColumns)[number]

const largest = sql.lit(Number.MAX_SAFE_INTEGER)

/**
 * The sum of a value. One that no safe integer holds becomes the largest safe integer, so that it
 * is no error on either database. Smaller ones are exact, as sums of floating-point numbers too.
 */
export const sumOf = (value: RawBuilder<unknown>): RawBuilder<number> => {
  const sum = sql`sum(cast(${value} as double precision))`
  return sql<number>`cast(case when ${sum} < ${largest} then ${sum} else ${largest} end as bigint)`
}

export const columnList = (names: readonly string[]): RawBuilder<unknown> =>
  sql.join(names.map((name) => sql.ref(name)))

/** The sums of columns, under their names. */
export const sumList = (names: readonly SummedColumn[]): RawBuilder<unknown> =>
  sql.join(names.map((name) => sql`${sumOf(sql.ref(name))} as ${sql.ref(name)}`))

/** How many requests failed. */
export const errors = sumOf(
  sql`case when outcome in ('ok', 'client_cancelled') then 0 else requests end`,
)

/** `/` is integer division on both databases. */
const floorTo = (time: RawBuilder<number>, seconds: number) =>
  sql<number>`${time} / ${sql.lit(seconds)} * ${sql.lit(seconds)}`

/** The begin of the interval (UTC) that contains a time; both are epoch seconds. */
export const startOfInterval = (
  { dialect }: Pick<Database, "dialect">,
  interval: UsageInterval,
  time: RawBuilder<number>,
): RawBuilder<number> => {
  if (interval === "hour") return floorTo(time, secondsPerHour)
  if (interval === "day") return floorTo(time, secondsPerDay)
  return dialect === "sqlite"
    ? sql<number>`cast(strftime('%s', ${time}, 'unixepoch', 'start of month') as integer)`
    : sql<number>`cast(extract(epoch from
        date_trunc('month', to_timestamp(${time}) at time zone 'UTC')) as bigint)`
}

const shownLengths = { hour: 13, day: 10, month: 7 }

/** `2026-01-31T23`, `2026-01-31` or `2026-01`. */
export const formatInterval = (interval: UsageInterval, start: number): string =>
  new Date(start * 1000).toISOString().slice(0, shownLengths[interval])
