import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { type RawBuilder, sql } from "kysely"
import type { Database, Tx } from "../db/database.ts"
import type { Tables } from "../db/tables.ts"
import { dimensionColumns, secondsPerDay, secondsPerHour, summedColumns } from "./sum-columns.ts"
import { groupedColumns, isWithin, recordParts, sumParts, type UsageSpan } from "./usage-parts.ts"

export type SumRow = Tables["usage_sums"]
export type Outdated = Tables["usage_outdated"]

/** Rows per statement. Each has 25 parameters, of which databases accept at least 32,766. */
const rowsPerStatement = 100
const maxDeleted = 500

/** Held by what changes or deletes records, so that each is added to those deleted just once. */
export const recordsLock = "usage records"

/** What it needs of a database, so that a command can use it beside a gateway. */
export type SumsDatabase = Pick<
  Database,
  "dialect" | "backgroundReader" | "transactRelaxed" | "transactLocked"
>

interface Deps {
  db: SumsDatabase
  newId: () => string
}

const keyColumns = ["part", "start", ...dimensionColumns] as const

const largest = sql.lit(Number.MAX_SAFE_INTEGER)

const columnList = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))

const hourOf = sql`at / ${sql.lit(secondsPerHour)} * ${sql.lit(secondsPerHour)}`

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

  /** Adds the records with these ids to the sums of deleted ones. */
  const addToDeleted = async (tx: Tx, isDeleted: RawBuilder<boolean>): Promise<void> => {
    const added = summedColumns.map(
      (name) => sql`${sql.ref(name)} = case
        when usage_sums.${sql.ref(name)} + excluded.${sql.ref(name)} < ${largest}
        then usage_sums.${sql.ref(name)} + excluded.${sql.ref(name)} else ${largest} end`,
    )
    await sql`
      insert into usage_sums (${columnList([...keyColumns, ...summedColumns])})
      select 'deleted', start / ${sql.lit(secondsPerHour)} * ${sql.lit(secondsPerHour)},
        ${groupedColumns}
      from (${recordParts(isDeleted)}) as parts group by 2, ${columnList(dimensionColumns)}
      on conflict (${columnList(keyColumns)}) do update set ${sql.join(added)}`.execute(tx)
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

    /**
     * Deletes the earliest records before a time; their sums are kept.
     * @returns how many; fewer than there are, if there are many
     */
    deleteRecords: (before: number, transactLocked: Database["transactLocked"]): Promise<number> =>
      transactLocked([recordsLock], async (tx) => {
        const rows = await tx
          .selectFrom("usage")
          .select("id")
          .where("at", "<", before)
          .orderBy("at")
          .limit(maxDeleted)
          .execute()
        if (rows.length === 0) return 0
        const isDeleted = sql<boolean>`id in (${sql.join(rows.map(({ id }) => id))})`
        await addToDeleted(tx, isDeleted)
        const starts = sql`select ${hourOf} as start from usage where ${isDeleted}`
        await markOutdated(tx, { part: "hour", starts, version: newId() })
        await sql`delete from usage where ${isDeleted}`.execute(tx)
        return rows.length
      }),
  }
}

export type UsageSumsStore = ReturnType<typeof createUsageSumsStore>
