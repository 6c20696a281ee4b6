import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { type RawBuilder, sql } from "kysely"
import { maxIdsPerStatement } from "./chunked-queries.ts"
import type { Database } from "./database.ts"
import type { Tables } from "./tables.ts"

/** Rows of a table by their owner, with what they own in turn. */
export interface OwnedTable {
  table: keyof Tables
  /** The column with the id of the owning row. */
  owner: string
  key: readonly [string, ...string[]]
  /** Restricts the rows, where other rows of the table have owners of another kind. */
  only?: RawBuilder<unknown>
  /** The column by which the last rows are deleted first, where earlier ones must not refer to them. */
  lastFirst?: string
  /** What the rows own, by the first column of their key. */
  children?: readonly OwnedTable[]
}

const columns = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))

const orderOf = ({ lastFirst }: OwnedTable) =>
  lastFirst === undefined ? sql`` : sql`order by ${sql.ref(lastFirst)} desc`

/** How long a transaction may take, in milliseconds: other writers wait for it. */
const batchMs = 10
/** Rows differ in size, up to 28 MB, so that each table starts with few. */
const initialRows = 4

const nextRows = (rows: number, tookMs: number): number =>
  tookMs > batchMs ? Math.max(1, rows >> 1) : Math.min(maxIdsPerStatement, rows * 2)

interface BatchedDeletion {
  owned: readonly OwnedTable[]
  ownerIds: readonly string[]
  signal?: AbortSignal
}

/** Those whose `column` has one of `ids`. */
interface Rows {
  column: string
  ids: readonly string[]
  /** How many rows of each table the next transaction deletes. */
  rowsByTable: Map<OwnedTable, number>
  signal: AbortSignal | undefined
}

/**
 * Deletes any number of rows with what they own, in short transactions between which other writers
 * proceed.
 * @param transact runs one of them
 */
export const createBatchedDeletion = (
  { read }: Pick<Database, "read">,
  transact: Database["transact"],
) => {
  const deleteBatch = (
    owned: OwnedTable,
    { column, ids, rows }: Pick<Rows, "column" | "ids"> & { rows: number },
  ) =>
    transact(async (tx) => {
      const { table, key, only } = owned
      const startedAt = performance.now()
      const deleted = await sql`
        delete from ${sql.table(table)} where (${columns(key)}) in (
          select ${columns(key)} from ${sql.table(table)}
          where ${sql.ref(column)} in (${sql.join(ids)}) and ${only ?? sql`1 = 1`}
          ${orderOf(owned)} limit ${rows})
        returning ${sql.ref(column)}`.execute(tx)
      return { count: deleted.rows.length, tookMs: performance.now() - startedAt }
    })

  const readKeys = async (owned: OwnedTable, ids: readonly string[]): Promise<string[]> => {
    const { table, owner, key } = owned
    const { rows } = await sql<{ key: string }>`
      select ${sql.ref(key[0])} as key from ${sql.table(table)}
      where ${sql.ref(owner)} in (${sql.join(ids)})
      ${orderOf(owned)} limit ${maxIdsPerStatement}`.execute(read)
    return rows.map((row) => row.key)
  }

  const deleteRows = async (
    table: OwnedTable,
    { rowsByTable, signal, ...selection }: Rows,
  ): Promise<void> => {
    for (;;) {
      signal?.throwIfAborted()
      const rows = rowsByTable.get(table) ?? initialRows
      const { count, tookMs } = await deleteBatch(table, { ...selection, rows })
      if (count < rows) return
      rowsByTable.set(table, nextRows(rows, tookMs))
      await yieldToEventLoop()
    }
  }

  const deleteOwned = async (table: OwnedTable, rows: Rows): Promise<void> => {
    const { children, owner, key } = table
    if (!children) return deleteRows(table, { ...rows, column: owner })
    for (;;) {
      const ids = await readKeys(table, rows.ids)
      if (ids.length === 0) return
      for (const child of children) await deleteOwned(child, { ...rows, ids })
      await deleteRows(table, { ...rows, column: key[0], ids })
    }
  }

  return async ({ owned, ownerIds, signal }: BatchedDeletion): Promise<void> => {
    const rowsByTable = new Map<OwnedTable, number>()
    for (const table of owned)
      await deleteOwned(table, { column: table.owner, ids: ownerIds, rowsByTable, signal })
  }
}
