import { sql } from "kysely"
import type { Database, Tx } from "../../db/database.ts"
import type { LeaseHolder } from "./ledger-store.ts"

type Dialect = Pick<Database, "dialect">

/** Locks the limits of a process's leases, as `sql-ledger-store.ts` does. */
const lockLimitsOf = async ({ dialect }: Dialect, tx: Tx, processId: string): Promise<void> => {
  if (dialect === "sqlite") return
  await sql`select id from limits where id in (
      select limit_id from limit_leases where process_id = ${processId})
    order by id for update`.execute(tx)
}

/** Moves amounts of one process's leases between two columns, in the leases and their accounts. */
const moveLeases = async (
  tx: Tx,
  processId: string,
  [from, to]: ["granted", "written_off"] | ["written_off", "granted"],
): Promise<void> => {
  const source = sql.ref(from)
  const target = sql.ref(to)
  const lease = sql`(select leases.${source} from limit_leases as leases
    where leases.process_id = ${processId} and leases.limit_id = limit_accounts.limit_id
      and leases.period = limit_accounts.period)`
  await sql`update limit_accounts set ${source} = ${source} - ${lease}, ${target} = ${target} + ${lease}
    where (limit_id, period) in (select limit_id, period from limit_leases
      where process_id = ${processId} and ${source} > 0)`.execute(tx)
  await sql`update limit_leases set ${source} = 0, ${target} = ${target} + ${source}
    where process_id = ${processId} and ${source} > 0`.execute(tx)
}

/** Frees slots: unlike a sum, nothing of them is used any more. */
const freeSlots = async (tx: Tx, processId: string): Promise<void> => {
  await sql`update limit_accounts set granted = granted - (
      select leases.granted from limit_leases as leases where leases.process_id = ${processId}
        and leases.limit_id = limit_accounts.limit_id and leases.period = 'slots')
    where period = 'slots' and limit_id in (select limit_id from limit_leases
      where process_id = ${processId} and period = 'slots')`.execute(tx)
  await sql`update limit_leases set granted = 0
    where process_id = ${processId} and period = 'slots'`.execute(tx)
}

/** Closes the leases of a process that has made no claim since `heartbeat` was read. */
export const closeLeasesOf = async (
  db: Dialect,
  tx: Tx,
  { processId, heartbeat }: LeaseHolder,
): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable("limit_processes")
    .set({ is_closed: 1 })
    .where("id", "=", processId)
    .where("heartbeat", "=", heartbeat)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await lockLimitsOf(db, tx, processId)
  await freeSlots(tx, processId)
  await moveLeases(tx, processId, ["granted", "written_off"])
  return true
}

/** Gives a process that was taken for dead its leases back. */
export const reopenLeasesOf = async (db: Dialect, tx: Tx, processId: string): Promise<void> => {
  await tx
    .updateTable("limit_processes")
    .set({ is_closed: 0, closed_ms: null })
    .where("id", "=", processId)
    .execute()
  await lockLimitsOf(db, tx, processId)
  await moveLeases(tx, processId, ["written_off", "granted"])
}
