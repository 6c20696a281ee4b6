import { type RawBuilder, sql } from "kysely"
import type { Database } from "../db/database.ts"
import { fieldByDimension, type UsageDimension } from "./dimensions.ts"
import type { UsageQuery, UsageTotal } from "./schema.ts"
import { UsageInterval } from "./schema.ts"
import {
  errors,
  formatInterval,
  type SummedColumn,
  startOfInterval,
  sumList,
  summedColumns,
  sumOf,
} from "./sum-columns.ts"
import { type UsageFilter, type UsageSpan, usageParts } from "./usage-parts.ts"

export type SumQuery = UsageFilter & UsageSpan & Pick<UsageQuery, "group_by" | "interval">

export interface Ranking {
  top: number
  by: UsageQuery["rank_by"]
}

type SumRow = Record<SummedColumn, number> & {
  key: string | number | null
  start: number | null
  is_rest: number
  name: string | null
  email: string | null
  errors: number
}

const unknown = sql`cast(null as text)`

/** Names of what usage is grouped by. */
const namesByGroup: Partial<
  Record<string, { name: RawBuilder<unknown>; email: RawBuilder<unknown> }>
> = {
  user: {
    name: sql`(select name from users where users.id = labelled.key)`,
    email: sql`(select email from users where users.id = labelled.key)`,
  },
  group: {
    name: sql`(select name from ${sql.table("groups")} where groups.id = labelled.key)`,
    email: unknown,
  },
  key: {
    name: sql`(select name from api_keys where api_keys.id = labelled.key)`,
    email: unknown,
  },
}

const isInterval = (group: UsageQuery["group_by"]): group is UsageInterval =>
  UsageInterval.safeParse(group).success

const isDimension = (group: UsageQuery["group_by"]): group is UsageDimension =>
  Object.hasOwn(fieldByDimension, group)

const sums = sumList(summedColumns)

/** Of sums that are grouped by key already. */
const rankedBy = {
  cost: sumOf(sql.ref("cost")),
  requests: sumOf(sql.ref("requests")),
  tokens: sumOf(sql`tokens_in + tokens_out`),
}

/** All keys but the first become the rest. Reads the sums once, although it ranks them first. */
const rankSums = (grouped: RawBuilder<unknown>, { top, by }: Ranking): RawBuilder<unknown> =>
  sql`with grouped as materialized (${grouped}),
    listed as (
      select key, 1 as is_listed from grouped
      group by key order by ${rankedBy[by]} desc, key nulls first limit ${sql.lit(top)}
    )
    select start, case when is_listed = 1 then 0 else 1 end as is_rest,
      case when is_listed = 1 then grouped.key end as key, ${sums},
      ${sumOf(sql.ref("errors"))} as errors
    from grouped left join listed on listed.key is not distinct from grouped.key
    group by 1, 2, 3`

const toTotal = ({ group_by }: SumQuery, row: SumRow): UsageTotal => {
  const { key, start, is_rest, first_tokens, first_token_ms, duration_ms, ...sum } = row
  const label = isInterval(group_by)
    ? formatInterval(group_by, Number(key))
    : (key as string | null)
  return {
    ...sum,
    key: label,
    start,
    is_rest: is_rest === 1,
    duration_ms: duration_ms / sum.requests,
    time_to_first_token_ms: first_tokens === 0 ? null : first_token_ms / first_tokens,
  }
}

export const createUsageStore = (db: Pick<Database, "dialect" | "backgroundReader">) => {
  const keyOf = (group: UsageQuery["group_by"]): RawBuilder<unknown> => {
    if (isInterval(group)) return startOfInterval(db, group, sql.ref("start"))
    return isDimension(group) ? sql.ref(fieldByDimension[group]) : unknown
  }

  /** A row for each interval and key. */
  const groupParts = (query: SumQuery): RawBuilder<unknown> => {
    const { group_by, interval } = query
    const isByHour = group_by === "hour" || interval === "hour"
    const start = interval
      ? startOfInterval(db, interval, sql.ref("start"))
      : sql`cast(null as bigint)`
    return sql`select ${start} as start, 0 as is_rest, ${keyOf(group_by)} as key, ${sums},
        ${errors} as errors
      from (${usageParts({ span: query, filter: query, isByHour })}) as parts group by 1, 3`
  }

  return {
    /** @param ranking if given, all keys but the first are added up as the rest */
    sumUsage: async (query: SumQuery, ranking?: Ranking): Promise<UsageTotal[]> => {
      const { group_by } = query
      const grouped = groupParts(query)
      const { name, email } = namesByGroup[group_by] ?? { name: unknown, email: unknown }
      const { rows } = await sql<SumRow>`
        select labelled.*, ${name} as name, ${email} as email
        from (${ranking && isDimension(group_by) ? rankSums(grouped, ranking) : grouped}) as labelled
        order by start nulls first, is_rest, key nulls first`.execute(db.backgroundReader)
      return rows.map((row) => toTotal(query, row))
    },
  }
}

export type UsageStore = ReturnType<typeof createUsageStore>
