import { type RawBuilder, type SqlBool, sql } from "kysely"
import type { UsageQuery } from "./schema.ts"
import {
  dimensionColumns,
  secondsPerDay,
  secondsPerHour,
  summedColumns,
  sumOf,
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

type Condition = RawBuilder<SqlBool>

const columnList = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))

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
export const sumParts = (where: Condition): RawBuilder<unknown> => {
  const dimensions = dimensionColumns.map((name) =>
    ["group_id", "key_id", "connection_id"].includes(name)
      ? sql`nullif(${sql.ref(name)}, '') as ${sql.ref(name)}`
      : sql.ref(name),
  )
  return sql`select start, ${sql.join(dimensions)}, ${columnList(summedColumns)}
    from usage_sums where ${where}`
}

/** The columns of `usage_sums` that follow `part` and `start`, from grouped parts. */
export const groupedColumns = sql.join([
  ...dimensionColumns.map((name) => sql`coalesce(${sql.ref(name)}, '') as ${sql.ref(name)}`),
  ...summedColumns.map((name) => sql`${sumOf(sql.ref(name))} as ${sql.ref(name)}`),
])

export const isWithin = (column: string, { from, to }: UsageSpan): Condition =>
  sql`${sql.ref(column)} >= ${sql.lit(from)} and ${sql.ref(column)} < ${sql.lit(to)}`

const matchFilter = (filter: UsageFilter): Condition => {
  const { model, user_id, key_id, group_id, connection_id, outcome } = filter
  const values = { model, user_id, key_id, group_id, connection_id, outcome }
  const conditions = Object.entries(values).flatMap(([column, value]) =>
    value ? [sql<SqlBool>`${sql.ref(column)} = ${value}`] : [],
  )
  return sql.join([sql`1 = 1`, ...conditions], sql` and `)
}

/** The whole hours or days of a span; none if `to` is not after `from`. */
const wholeIntervals = ({ from, to }: UsageSpan, seconds: number): UsageSpan => ({
  from: Math.ceil(from / seconds) * seconds,
  to: Math.floor(to / seconds) * seconds,
})

interface PartsQuery {
  span: UsageSpan
  filter: UsageFilter
  /** Whether the hours are told apart, so that sums of days are of no use. */
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
  const matches = matchFilter(filter)
  const day = sql.lit(secondsPerDay)
  const outdatedDays = sql`(select start / ${day} * ${day} from usage_outdated)`
  const outdatedHours = sql`(select start from usage_outdated where part = 'hour')`
  const readAsDay = sql<SqlBool>`${isWithin("start", days)}
    and start / ${day} * ${day} not in ${outdatedDays}`
  const edges =
    hours.from < hours.to
      ? [
          { ...span, to: hours.from },
          { ...span, from: hours.to },
        ]
      : [span]
  const isAtEdge = sql.join(
    edges.map((edge) => sql`(${isWithin("at", edge)})`),
    sql` or `,
  )
  const outdatedRecords = sql<SqlBool>`part = 'hour' and ${isWithin("usage_outdated.start", hours)}
    and at >= usage_outdated.start and at < usage_outdated.start + ${sql.lit(secondsPerHour)}`
  const parts = [
    sumParts(sql`part = 'day' and ${readAsDay} and ${matches}`),
    sumParts(sql`part = 'hour' and ${isWithin("start", hours)} and not (${readAsDay})
      and start not in ${outdatedHours} and ${matches}`),
    sumParts(sql`part = 'deleted' and ${isWithin("start", span)} and not (${readAsDay})
      and ${matches}`),
    recordParts(sql`${outdatedRecords} and ${matches}`, sql`usage_outdated cross join usage`),
    recordParts(sql`(${isAtEdge}) and ${matches}`),
  ]
  return sql.join(parts, sql` union all `)
}
