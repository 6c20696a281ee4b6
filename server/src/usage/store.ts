import { type RawBuilder, sql } from "kysely"
import type { Database } from "../db/database.ts"
import type { UsageDimension, UsageQuery, UsageTotal } from "./schema.ts"
import { UsageInterval } from "./schema.ts"
import {
  columnByDimension,
  errors,
  formatInterval,
  type SummedColumn,
  startOfInterval,
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
  Object.hasOwn(columnByDimension, group)

const sums = sql.join(
  summedColumns.map((column) => sql`${sumOf(sql.ref(column))} as ${sql.ref(column)}`),
)

const rankedBy = {
  cost: sumOf(sql.ref("cost")),
  requests: sumOf(sql.ref("requests")),
  tokens: sumOf(sql`tokens_in + tokens_out`),
}

/** Whether a part belongs to none of the listed keys: 0 or 1. */
const isRest = (column: RawBuilder<unknown>, listed: readonly (string | null)[] | null) => {
  if (listed === null) return sql`0`
  const ids = listed.filter((key) => key !== null)
  const inIds = ids.length > 0 ? sql`${column} in (${sql.join(ids)})` : sql`1 = 0`
  const isNull = listed.includes(null) ? sql`${column} is null` : sql`1 = 0`
  return sql`case when ${inIds} or ${isNull} then 0 else 1 end`
}

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
    return isDimension(group) ? sql.ref(columnByDimension[group]) : unknown
  }

  const partsOf = (query: SumQuery): RawBuilder<unknown> =>
    usageParts({
      span: query,
      filter: query,
      isByHour: query.group_by === "hour" || query.interval === "hour",
    })

  /** The keys with the largest sums, of the whole span. */
  const findTop = async (query: SumQuery, { top, by }: Ranking): Promise<(string | null)[]> => {
    const key = keyOf(query.group_by)
    const { rows } = await sql<{ key: string | null }>`
      select ${key} as key from (${partsOf(query)}) as parts
      group by 1 order by ${rankedBy[by]} desc, 1 limit ${sql.lit(top)}`.execute(
      db.backgroundReader,
    )
    return rows.map((row) => row.key)
  }

  return {
    /** @param ranking if given, all keys but the first are added up as the rest */
    sumUsage: async (query: SumQuery, ranking?: Ranking): Promise<UsageTotal[]> => {
      const { group_by, interval } = query
      const listed = ranking && isDimension(group_by) ? await findTop(query, ranking) : null
      const key = keyOf(group_by)
      const rest = isRest(key, listed)
      const start = interval
        ? startOfInterval(db, interval, sql.ref("start"))
        : sql`cast(null as bigint)`
      const { name, email } = namesByGroup[group_by] ?? { name: unknown, email: unknown }
      const { rows } = await sql<SumRow>`
        select start, is_rest, key, ${name} as name, ${email} as email, ${sums},
          ${errors} as errors
        from (
          select ${start} as start, ${rest} as is_rest,
            ${listed ? sql`case when ${rest} = 1 then null else ${key} end` : key} as key,
            outcome, ${sql.join(summedColumns.map((column) => sql.ref(column)))}
          from (${partsOf(query)}) as parts
        ) as labelled
        group by start, is_rest, key
        order by start nulls first, is_rest, key nulls first`.execute(db.backgroundReader)
      return rows.map((row) => toTotal(query, row))
    },
  }
}

export type UsageStore = ReturnType<typeof createUsageStore>
