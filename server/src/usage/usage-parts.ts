import { type RawBuilder, type SqlBool, sql } from "kysely"
import type { UsageQuery } from "./schema.ts"
import {
  columnList,
  dimensionColumns,
  secondsPerDay,
  secondsPerHour,
  sumList,
  summedColumns,
} from "./sum-columns.ts"

export type UsageFilter = Pick<
  UsageQuery,
  "model" | "user_id" | "key_id" | "group_id" | "connection_id" | "outcome"
>

/** Epoch seconds; `to` is excluded. */
export interface UsageSpan {
  from: number
  to: number
}

const nullableColumns: readonly string[] = ["group_id", "key_id", "connection_id"]

type Condition = RawBuilder<SqlBool>

const valueByColumn: Partial<Record<string, RawBuilder<number>>> = {
  requests: sql`1`,
  // A function costs nothing itself: its own requests to models have records too.
  unpriced: sql`case when cost is null and connection_id is not null
    and tokens_in + tokens_out > 0 then 1 else 0 end`,
  first_tokens: sql`case when time_to_first_token_ms is null then 0 else 1 end`,
  first_token_ms: sql`coalesce(time_to_first_token_ms, 0)`,
}

/** What a record adds to each sum; records of earlier versions lack some counts. */
const recordColumns = sql.join(
  summedColumns.map((column) => {
    const value = valueByColumn[column] ?? sql<number>`coalesce(${sql.ref(column)}, 0)`
    return sql`${value} as ${sql.ref(column)}`
  }),
)

/** What records add to sums: a row each, with `start` for its time. */
export const recordParts = (where: Condition, from = sql.table("usage")): RawBuilder<unknown> =>
  sql`select at as start, ${columnList(dimensionColumns)}, ${recordColumns}
    from ${from} where ${where}`

/** Rows of sums, in the form of `recordParts`; the id of a user is "" where there is none. */
export const sumParts = (where: Condition, from = sql.table("usage_sums")): RawBuilder<unknown> => {
  const dimensions = dimensionColumns.map((name) =>
    nullableColumns.includes(name)
      ? sql`nullif(${sql.ref(name)}, '') as ${sql.ref(name)}`
      : sql.ref(name),
  )
  return sql`select start, ${sql.join(dimensions)}, ${columnList(summedColumns)}
    from ${from} where ${where}`
}

/** The columns of `usage_sums` that follow `part` and `start`, from grouped parts. */
export const groupedColumns = sql.join([
  ...dimensionColumns.map((name) => sql`coalesce(${sql.ref(name)}, '') as ${sql.ref(name)}`),
  sumList(summedColumns),
])

export const isWithin = (column: string, { from, to }: UsageSpan): Condition =>
  sql`${sql.ref(column)} >= ${sql.lit(from)} and ${sql.ref(column)} < ${sql.lit(to)}`

/** An empty value matches what has none: null in records, and "" in sums. */
const matchFilter = (filter: UsageFilter, source: "records" | "sums"): Condition => {
  const { model, user_id, key_id, group_id, connection_id, outcome } = filter
  const values = { model, user_id, key_id, group_id, connection_id, outcome }
  const conditions = Object.entries(values).flatMap(([column, value]) => {
    if (value === undefined) return []
    const isNull = value === "" && source === "records" && nullableColumns.includes(column)
    return [isNull ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${value}`]
  })
  return sql.join([sql`1 = 1`, ...conditions], sql` and `)
}

const isEmpty = ({ from, to }: UsageSpan): boolean => from >= to

/** The whole hours or days of a span; empty if there are none. */
const wholeIntervals = ({ from, to }: UsageSpan, seconds: number): UsageSpan => ({
  from: Math.ceil(from / seconds) * seconds,
  to: Math.floor(to / seconds) * seconds,
})

/** What a span has before and after an inner one. */
const edgesOf = (span: UsageSpan, inner: UsageSpan): UsageSpan[] => {
  const edges = [
    { from: span.from, to: inner.from },
    { from: inner.to, to: span.to },
  ]
  return (isEmpty(inner) ? [span] : edges).filter((edge) => !isEmpty(edge))
}

const outdatedHours = sql`select start from usage_outdated where part = 'hour'`

/** The days that have an outdated hour, or are outdated themselves. */
const outdatedDays = (days: UsageSpan) =>
  sql`select distinct start / ${sql.lit(secondsPerDay)} * ${sql.lit(secondsPerDay)} as day
    from usage_outdated where ${isWithin("start", days)}`

/** Outdated hours that follow each other, as one: after an upgrade, there are very many. */
const outdatedRuns = (hours: UsageSpan) =>
  sql`select min(start) as run_from, max(start) + ${sql.lit(secondsPerHour)} as run_to
    from (
      select start, start - ${sql.lit(secondsPerHour)} * row_number() over (order by start) as run
      from usage_outdated where part = 'hour' and ${isWithin("start", hours)}
    ) as outdated_hours group by run`

/** The sums of whole days, and of the hours of those that are not up to date. */
const dayParts = (days: UsageSpan, matches: Condition): RawBuilder<unknown>[] => {
  // Joined, so that the databases look up those days instead of reading the hours of all.
  const hours = sql`(${outdatedDays(days)}) as days cross join usage_sums`
  const ofDay = sql<SqlBool>`usage_sums.start >= day
    and usage_sums.start < day + ${sql.lit(secondsPerDay)} and ${matches}`
  return [
    sumParts(sql`part = 'day' and ${isWithin("start", days)}
      and start not in (${outdatedDays(days)}) and ${matches}`),
    sumParts(sql`part = 'hour' and ${ofDay} and start not in (${outdatedHours})`, hours),
    sumParts(sql`part = 'deleted' and ${ofDay}`, hours),
  ]
}

interface PartsQuery {
  span: UsageSpan
  filter: UsageFilter
  /** Whether the hours are listed one by one, so that sums of days are of no use. */
  isByHour: boolean
}

/**
 * What a span's records add to sums: from the sums of days and hours where these are up to date,
 * otherwise from the records. One statement reads all of it, so that a record is counted once even
 * if it is summed meanwhile. Of deleted records only the hours are known; they count as of the
 * hour's begin.
 */
export const usageParts = ({ span, filter, isByHour }: PartsQuery): RawBuilder<unknown> => {
  const hours = wholeIntervals(span, secondsPerHour)
  const days = isByHour ? { from: 0, to: 0 } : wholeIntervals(span, secondsPerDay)
  const matches = matchFilter(filter, "sums")
  const recordMatches = matchFilter(filter, "records")
  const parts = [
    ...(isEmpty(days) ? [] : dayParts(days, matches)),
    ...edgesOf(hours, days).map((edge) =>
      sumParts(sql`part = 'hour' and ${isWithin("start", edge)}
        and start not in (${outdatedHours}) and ${matches}`),
    ),
    ...edgesOf(span, days).map((edge) =>
      sumParts(sql`part = 'deleted' and ${isWithin("start", edge)} and ${matches}`),
    ),
    recordParts(
      sql`at >= run_from and at < run_to and ${recordMatches}`,
      sql`(${outdatedRuns(hours)}) as runs cross join usage`,
    ),
    ...edgesOf(span, hours).map((edge) =>
      recordParts(sql`${isWithin("at", edge)} and ${recordMatches}`),
    ),
  ]
  return sql.join(parts, sql` union all `)
}
