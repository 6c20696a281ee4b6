import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { type RawBuilder, sql } from "kysely"
import { maxIdsPerStatement } from "../db/chunked-queries.ts"
import type { Database } from "../db/database.ts"
import type { Tables } from "../db/tables.ts"

interface OwnedTable {
  table: keyof Tables
  /** The column with the id of the owning row. */
  owner: string
  key: readonly [string, ...string[]]
  /** Restricts the rows, where other rows of the table have owners of another kind. */
  only?: RawBuilder<unknown>
  /** What the rows own, by the first column of their key. */
  children?: readonly OwnedTable[]
}

const grantsOn = (type: "prompt" | "collection"): OwnedTable => ({
  table: "access_grants",
  owner: "resource_id",
  key: ["resource_type", "resource_id", "principal_type", "principal_id", "permission"],
  only: sql`resource_type = ${type}`,
})

const grantsToUser: OwnedTable = {
  table: "access_grants",
  owner: "principal_id",
  key: ["resource_type", "resource_id", "principal_type", "principal_id", "permission"],
  only: sql`principal_type = 'user'`,
}

/**
 * What a user may have more than some thousand rows of; rows of other tables are deleted with the
 * user's row. Shared objects come first, so that others lose access to all of them early.
 */
const ownedTables: readonly OwnedTable[] = [
  grantsToUser,
  { table: "prompts", owner: "user_id", key: ["id"], children: [grantsOn("prompt")] },
  {
    table: "collections",
    owner: "user_id",
    key: ["id"],
    children: [
      grantsOn("collection"),
      { table: "collection_files", owner: "collection_id", key: ["collection_id", "file_id"] },
    ],
  },
  {
    table: "files",
    owner: "user_id",
    key: ["id"],
    children: [
      { table: "collection_files", owner: "file_id", key: ["collection_id", "file_id"] },
      { table: "vector_batches", owner: "file_id", key: ["file_id", "space_id", "first"] },
      { table: "passages", owner: "file_id", key: ["file_id", "position"] },
      { table: "file_words", owner: "file_id", key: ["file_id"] },
      { table: "file_texts", owner: "file_id", key: ["file_id"] },
    ],
  },
  {
    table: "chats",
    owner: "user_id",
    key: ["id"],
    children: [
      { table: "chat_tags", owner: "chat_id", key: ["chat_id", "tag"] },
      {
        table: "chat_messages",
        owner: "chat_id",
        key: ["id"],
        children: [
          { table: "chat_images", owner: "message_id", key: ["id"] },
          { table: "chat_passages", owner: "message_id", key: ["message_id"] },
          { table: "message_ratings", owner: "message_id", key: ["message_id"] },
        ],
      },
    ],
  },
  {
    table: "stored_response_items",
    owner: "user_id",
    key: ["user_id", "response_id", "position"],
  },
  { table: "stored_responses", owner: "user_id", key: ["user_id", "id"] },
]

const columns = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))

/** How long a transaction may take, in milliseconds: other writers wait for it. */
const batchMs = 10
/** Rows differ in size, so that each run starts with few. */
const firstRows = 20

const nextRows = (rows: number, tookMs: number): number =>
  tookMs > batchMs ? Math.max(1, rows >> 1) : Math.min(maxIdsPerStatement, rows * 2)

/** Deletes what users own, in short transactions between which other writers proceed. */
export const createOwnedRowsDeletion = (db: Database) => {
  const deleteBatch = (
    { table, key, only }: OwnedTable,
    { column, ids, rows }: { column: string; ids: readonly string[]; rows: number },
  ) =>
    db.essential.transactRelaxed(async (tx) => {
      const startedAt = performance.now()
      const deleted = await sql`
        delete from ${sql.table(table)} where (${columns(key)}) in (
          select ${columns(key)} from ${sql.table(table)}
          where ${sql.ref(column)} in (${sql.join(ids)}) and ${only ?? sql`1 = 1`} limit ${rows})
        returning ${sql.ref(column)}`.execute(tx)
      return { count: deleted.rows.length, tookMs: performance.now() - startedAt }
    })

  const deleteRows = async (
    owned: OwnedTable,
    selection: { column: string; ids: readonly string[] },
    signal: AbortSignal,
  ): Promise<void> => {
    let rows = firstRows
    for (;;) {
      signal.throwIfAborted()
      const { count, tookMs } = await deleteBatch(owned, { ...selection, rows })
      if (count < rows) return
      rows = nextRows(rows, tookMs)
      await yieldToEventLoop()
    }
  }

  const readKeys = async (
    { table, owner, key: [key] }: OwnedTable,
    ids: readonly string[],
  ): Promise<string[]> => {
    const { rows } = await sql<{ key: string }>`
      select ${sql.ref(key)} as key from ${sql.table(table)}
      where ${sql.ref(owner)} in (${sql.join(ids)}) limit ${maxIdsPerStatement}`.execute(db.read)
    return rows.map((row) => row.key)
  }

  const deleteOwned = async (
    owned: OwnedTable,
    ownerIds: readonly string[],
    signal: AbortSignal,
  ): Promise<void> => {
    const { children, owner, key } = owned
    if (!children) return deleteRows(owned, { column: owner, ids: ownerIds }, signal)
    for (;;) {
      const ids = await readKeys(owned, ownerIds)
      if (ids.length === 0) return
      for (const child of children) await deleteOwned(child, ids, signal)
      await deleteRows(owned, { column: key[0], ids }, signal)
    }
  }

  return async (userId: string, signal: AbortSignal): Promise<void> => {
    for (const owned of ownedTables) await deleteOwned(owned, [userId], signal)
  }
}
