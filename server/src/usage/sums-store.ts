import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { type RawBuilder, sql } from "kysely"
import type { Database, Tx } from "../db/database.ts"
import type { Tables } from "../db/tables.ts"
import { columnList, dimensionColumns, secondsPerDay, secondsPerHour } from "./sum-columns.ts"
import { groupedColumns, isWithin, recordParts, sumParts, type UsageSpan } from "./usage-parts.ts"

export type SumRow = Tables["usage_sums"]
export type Outdated = Tables["usage_outdated"]

/** Rows per statement. Each has 25 parameters, of which databases accept at least 32,766. */
const rowsPerStatement = 100

/** What it needs of a database, so that a command can use it beside a gateway. */
export type SumsDatabase = Pick<Database, "dialect" | "backgroundReader" | "transactRelaxed">

interface Deps {
  db: SumsDatabase
  newId: () => string
}

/** Marks intervals, in a fixed order so that transactions do not wait for each other in circles. */
export const markOutdated = async (
  tx: Tx,
  { part, starts, version }: { part: string; starts: RawBuilder<unknown>; version: string },
): Promise<void> => {
  await sql`insert into usage_outdated (part, start, version)
    select ${sql.lit(part)}, start, ${version} from (${starts}) as marked
    where 1 = 1 group by start order by start
    on conflict (part, start) do update set version = excluded.version`.execute(tx)
}

/** The rows of sums: by hours and days, and of deleted records. */
export const createUsageSumsStore = ({ db, newId }: Deps) => {
  const readParts = async ({ part, start }: Outdated): Promise<SumRow[]> => {
    const seconds = part === "hour" ? secondsPerHour : secondsPerDay
    const span: UsageSpan = { from: start, to: start + seconds }
    const parts =
      part === "hour"
        ? recordParts(isWithin("at", span))
        : sumParts(sql`part in ('hour', 'deleted') and ${isWithin("start", span)}`)
    const { rows } = await sql<SumRow>`
      select ${part} as part, ${sql.lit(start)} as start, ${groupedColumns}
      from (${parts}) as parts group by ${columnList(dimensionColumns)}`.execute(
      db.backgroundReader,
    )
    return rows
  }

  const replace = async (tx: Tx, { part, start }: Outdated, rows: SumRow[]): Promise<void> => {
    await tx.deleteFrom("usage_sums").where("part", "=", part).where("start", "=", start).execute()
    for (let at = 0; at < rows.length; at += rowsPerStatement) {
      if (at > 0) await yieldToEventLoop()
      const chunk = rows.slice(at, at + rowsPerStatement)
      await tx.insertInto("usage_sums").values(chunk).execute()
    }
  }

  return {
    /** The first of those that begin before a time, the earliest first; days once their hours are done. */
    findOutdated: async (
      part: "hour" | "day",
      { from, to }: UsageSpan,
      limit: number,
    ): Promise<Outdated[]> => {
      const hours = sql`select 1 from usage_outdated as hours where hours.part = 'hour'
        and hours.start >= usage_outdated.start
        and hours.start < usage_outdated.start + ${sql.lit(secondsPerDay)}`
      const isReady = part === "hour" ? sql`1 = 1` : sql`not exists (${hours})`
      const { rows } = await sql<Outdated>`
        select part, start, version from usage_outdated
        where part = ${part} and start >= ${from} and start < ${to} and ${isReady}
        order by start limit ${sql.lit(limit)}`.execute(db.backgroundReader)
      return rows
    },

    /**
     * Sums an hour or day, unless its records have changed meanwhile: then it stays outdated.
     * @param outdated as read before its records
     */
    sum: async (outdated: Outdated): Promise<boolean> => {
      const { part, start, version } = outdated
      const rows = await readParts(outdated)
      return db.transactRelaxed(async (tx) => {
        const unchanged = await tx
          .deleteFrom("usage_outdated")
          .where("part", "=", part)
          .where("start", "=", start)
          .where("version", "=", version)
          .returning("start")
          .execute()
        if (unchanged.length === 0) return false
        await replace(tx, outdated, rows)
        if (part === "day") return true
        const day = sql`select ${sql.lit(start - (start % secondsPerDay))} as start`
        await markOutdated(tx, { part: "day", starts: day, version: newId() })
        return true
      })
    },
  }
}

export type UsageSumsStore = ReturnType<typeof createUsageSumsStore>
