import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { sql } from "kysely"
import { maxIdsPerStatement } from "../../db/chunked-queries.ts"
import type { Database } from "../../db/database.ts"
import { selectFromRows } from "./claim-rows.ts"
import { maxWindowMs } from "./periods.ts"

const dayMs = 86_400_000
/** Rolling hours have many buckets. */
const keptShortMs = 2 * dayMs
const keysPerScan = 5000

type AccountKey = Record<"limit_id" | "period", string>

/** Longer periods are kept for as long as the largest window, in case the clock is set back. */
const readEndedKeys = async ({ backgroundReader }: Database, at: number): Promise<AccountKey[]> => {
  const { rows } = await sql<AccountKey>`select limit_id, period from limit_accounts
    where counts_until_ms < ${at - keptShortMs} and granted = 0
      and (counts_until_ms < ${at - maxWindowMs} or counts_until_ms - starts_ms < ${dayMs})
    limit ${keysPerScan}`.execute(backgroundReader)
  return rows
}

const deleteAccounts = async (db: Database, keys: readonly AccountKey[]): Promise<void> => {
  for (let start = 0; start < keys.length; start += maxIdsPerStatement) {
    const rows = keys.slice(start, start + maxIdsPerStatement)
    const ended = selectFromRows(db, { limit_id: "text", period: "text" }, rows)
    await db.essential.transactRelaxed((tx) =>
      sql`delete from limit_accounts where granted = 0
        and (limit_id, period) in (select limit_id, period from ${ended} as ended)`.execute(tx),
    )
    await yieldToEventLoop()
  }
}

const deleteEndedAccounts = async (db: Database, at: number): Promise<void> => {
  let keys: AccountKey[]
  do {
    keys = await readEndedKeys(db, at)
    await deleteAccounts(db, keys)
  } while (keys.length === keysPerScan)
}

/**
 * Deletes leases of a dead process; its row is locked, so that it cannot return meanwhile.
 * @returns whether some may be left
 */
const deleteLeases = ({ essential }: Database, processId: string): Promise<boolean> =>
  essential.transactRelaxed(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable("limit_processes")
      .set({ has_lost_leases: 1 })
      .where("id", "=", processId)
      .where("is_closed", "=", 1)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    const { numAffectedRows = 0n } = await sql`delete from limit_leases
      where process_id = ${processId} and (limit_id, period) in (
        select limit_id, period from limit_leases where process_id = ${processId}
        limit ${maxIdsPerStatement})`.execute(tx)
    return numAffectedRows > 0n
  })

/** A process that returns later knows what it has reported, until its own row is deleted. */
const deleteDeadProcesses = async (db: Database, at: number): Promise<void> => {
  await db.essential.transactRelaxed(async (tx) => {
    await sql`update limit_processes set closed_ms = ${at}
      where is_closed = 1 and closed_ms is null`.execute(tx)
    await sql`delete from limit_processes where is_closed = 1
      and closed_ms < ${at - maxWindowMs} and not exists (
        select 1 from limit_leases where process_id = limit_processes.id)`.execute(tx)
  })
  const dead = await db.read
    .selectFrom("limit_processes")
    .select("id")
    .where("closed_ms", "<", at - dayMs)
    .execute()
  for (const { id } of dead) while (await deleteLeases(db, id)) await yieldToEventLoop()
}

/**
 * Deletes accounts that no longer count, leases of processes that have been dead for a day, and
 * these processes some time later.
 * @param at epoch ms
 */
export const deleteEnded = async (db: Database, at: number): Promise<void> => {
  await deleteEndedAccounts(db, at)
  await deleteDeadProcesses(db, at)
}
