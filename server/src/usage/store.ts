import { sql } from "kysely"
import type { Database, Tx } from "../db/database.ts"
import { orderNullsFirst } from "../db/text-matching.ts"
import type { UsageQuery, UsageSum } from "./schema.ts"

const secondsPerDay = 86_400
const rowsAtOnce = 200

const columns = {
  model: "model",
  user: "user_id",
  key: "key_id",
  connection: "connection_id",
} as const

const isoDay = (day: number): string =>
  new Date(day * secondsPerDay * 1000).toISOString().slice(0, 10)

export const createUsageStore = (db: Database) => ({
  sums: async (query: UsageQuery & { from: number; to: number }): Promise<UsageSum[]> => {
    const byDay = query.group_by === "day"
    // `/` is integer division on both databases.
    const group =
      query.group_by === "day"
        ? sql<string | number | null>`at / ${sql.lit(secondsPerDay)}`
        : sql<string | number | null>`${sql.ref(columns[query.group_by])}`
    let matching = db.backgroundReader
      .selectFrom("usage")
      .where("at", ">=", query.from)
      .where("at", "<", query.to)
    if (query.user_id) matching = matching.where("user_id", "=", query.user_id)
    if (query.key_id) matching = matching.where("key_id", "=", query.key_id)
    if (query.model) matching = matching.where("model", "=", query.model)
    const rows = await matching
      .select(group.as("key"))
      .select(({ fn }) => [
        fn.countAll<number>().as("requests"),
        sql<number>`sum(case when outcome = 'ok' then 0 else 1 end)`.as("errors"),
        sql<number>`cast(sum(tokens_in) as bigint)`.as("tokens_in"),
        sql<number>`cast(sum(tokens_out) as bigint)`.as("tokens_out"),
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
  dropOlder: async (than: number): Promise<void> => {
    const dropSome = (tx: Tx) =>
      tx
        .deleteFrom("usage")
        .where("id", "in", ({ selectFrom }) =>
          selectFrom("usage").select("id").where("at", "<", than).orderBy("at").limit(rowsAtOnce),
        )
        .returning("id")
        .execute()
    while ((await db.transactRelaxed(dropSome)).length === rowsAtOnce);
  },
})

export type UsageStore = ReturnType<typeof createUsageStore>
