import { type RawBuilder, type SqlBool, sql } from "kysely"
import type { UsageQuery } from "./schema.ts"
import { dimensionColumns, summedColumns } from "./sum-columns.ts"

export type UsageFilter = Pick<
  UsageQuery,
  "model" | "user_id" | "key_id" | "group_id" | "connection_id" | "outcome"
>

/** Epoch seconds; `to` is excluded. */
export interface UsageSpan {
  from: number
  to: number
}

const valueByColumn: Partial<Record<string, RawBuilder<number>>> = {
  requests: sql`1`,
  // A function costs nothing itself: its own requests to models have records too.
  unpriced: sql`case when cost is null and connection_id is not null
    and tokens_in + tokens_out > 0 then 1 else 0 end`,
  first_tokens: sql`case when time_to_first_token_ms is null then 0 else 1 end`,
  first_token_ms: sql`coalesce(time_to_first_token_ms, 0)`,
}

/** What a record adds to each sum; records of earlier versions lack some counts. */
const recordColumns = summedColumns.map((column) => {
  const value = valueByColumn[column] ?? sql<number>`coalesce(${sql.ref(column)}, 0)`
  return sql`${value} as ${sql.ref(column)}`
})

const matchFilter = (filter: UsageFilter): RawBuilder<SqlBool> => {
  const { model, user_id, key_id, group_id, connection_id, outcome } = filter
  const values = { model, user_id, key_id, group_id, connection_id, outcome }
  const conditions = Object.entries(values).flatMap(([column, value]) =>
    value ? [sql<SqlBool>`${sql.ref(column)} = ${value}`] : [],
  )
  return sql.join([sql`1 = 1`, ...conditions], sql` and `)
}

/** What the records of a span add to sums: a row each, with `start` for its time. */
export const recordParts = ({ from, to }: UsageSpan, filter: UsageFilter): RawBuilder<unknown> =>
  sql`select at as start, ${sql.join([...dimensionColumns.map((name) => sql.ref(name)), ...recordColumns])}
    from usage where at >= ${from} and at < ${to} and ${matchFilter(filter)}`
