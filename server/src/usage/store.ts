import { sql } from "kysely"
import type { Database, Tx } from "../db/database.ts"
import { orderNullsFirst } from "../db/paged-queries.ts"
import type { UsageQuery, UsageTotal } from "./schema.ts"
import { type TokenCounts, tokenKinds } from "./token-counts.ts"

const secondsPerDay = 86_400
const batchSize = 200

const columnByGroup = {
  model: "model",
  user: "user_id",
  group: "group_id",
  key: "key_id",
  connection: "connection_id",
} as const

const unknown = sql<string | null>`cast(null as text)`

const userColumn = (column: string) =>
  sql<string | null>`(select ${sql.ref(column)} from users where users.id = usage.user_id)`

/** Names of what usage is grouped by. */
const namesByGroup = {
  user: { name: userColumn("users.name"), email: userColumn("users.email") },
  group: {
    name: sql<
      string | null
    >`(select name from ${sql.table("groups")} where groups.id = usage.group_id)`,
    email: unknown,
  },
  key: {
    name: sql<string | null>`(select name from api_keys where api_keys.id = usage.key_id)`,
    email: unknown,
  },
} as const

const hasNames = (group: string): group is keyof typeof namesByGroup =>
  Object.hasOwn(namesByGroup, group)

const namesOf = (group: UsageQuery["group_by"]) =>
  hasNames(group) ? namesByGroup[group] : { name: unknown, email: unknown }

/** Of records from before a count was recorded, it is taken to be 0. */
const sumOf = (column: keyof TokenCounts | "attempts" | "cost") =>
  sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`.as(column)

const summedColumns = ["attempts", ...tokenKinds, "cost"] as const

/** A function's own requests to models are priced, and it costs nothing itself. */
const unpriced = sql<number>`coalesce(sum(case when cost is null and connection_id is not null
  and tokens_in + tokens_out > 0 then 1 else 0 end), 0)`.as("unpriced")

const isoDay = (day: number): string =>
  new Date(day * secondsPerDay * 1000).toISOString().slice(0, 10)

export const createUsageStore = (db: Database) => ({
  sumUsage: async (query: UsageQuery & { from: number; to: number }): Promise<UsageTotal[]> => {
    const { name, email } = namesOf(query.group_by)
    const byDay = query.group_by === "day"
    // `/` is integer division on both databases.
    const group =
      query.group_by === "day"
        ? sql<string | number | null>`at / ${sql.lit(secondsPerDay)}`
        : sql<string | number | null>`${sql.ref(columnByGroup[query.group_by])}`
    let matching = db.backgroundReader
      .selectFrom("usage")
      .where("at", ">=", query.from)
      .where("at", "<", query.to)
    if (query.user_id) matching = matching.where("user_id", "=", query.user_id)
    if (query.key_id) matching = matching.where("key_id", "=", query.key_id)
    if (query.group_id) matching = matching.where("group_id", "=", query.group_id)
    if (query.model) matching = matching.where("model", "=", query.model)
    const rows = await matching
      .select([group.as("key"), name.as("name"), email.as("email")])
      .select(({ fn }) => [
        fn.countAll<number>().as("requests"),
        sql<number>`sum(case when outcome in ('ok', 'client_cancelled') then 0 else 1 end)`.as(
          "errors",
        ),
        ...summedColumns.map(sumOf),
        unpriced,
        sql<number>`cast(avg(duration_ms) as double precision)`.as("duration_ms"),
        sql<number | null>`cast(avg(time_to_first_token_ms) as double precision)`.as(
          "time_to_first_token_ms",
        ),
      ])
      .groupBy(group)
      .orderBy("key", orderNullsFirst("asc"))
      .execute()
    return rows.map((row) => ({
      ...row,
      key: byDay ? isoDay(Number(row.key)) : row.key === null ? null : String(row.key),
    }))
  },

  /** In batches: deleting a year's records in one transaction would block other writers. */
  deleteOlderThan: async (before: number, signal?: AbortSignal): Promise<void> => {
    const deleteBatch = (tx: Tx) =>
      tx
        .deleteFrom("usage")
        .where("id", "in", ({ selectFrom }) =>
          selectFrom("usage").select("id").where("at", "<", before).orderBy("at").limit(batchSize),
        )
        .returning("id")
        .execute()
    let deleted = batchSize
    while (deleted === batchSize && !signal?.aborted) {
      deleted = (await db.essential.transactRelaxed(deleteBatch)).length
    }
  },
})

export type UsageStore = ReturnType<typeof createUsageStore>
