import type { SQLInputValue, StatementSync } from "node:sqlite"
import { workerData } from "node:worker_threads"
import { serveRequests } from "../background/worker-client.ts"
import { lowerThreadPriority } from "../concurrency/thread-priority.ts"
import type { AppendBatch } from "./appender.ts"
import { openSqliteFile } from "./sqlite-file.ts"

/** Worker thread that `appender.ts` starts and sends batches to. */
type Row = Record<string, SQLInputValue>

// On a single core, requests take precedence. This niceness leaves the thread about a quarter of
// the core, twice what it needs.
lowerThreadPriority(5)
const { path } = workerData as { path: string }
const database = openSqliteFile(path, false)
const insertStatements = new Map<string, StatementSync>()

const prepareInsert = (table: string, columns: readonly string[]): StatementSync => {
  const names = columns.map((name) => `"${name}"`).join(", ")
  const placeholders = columns.map(() => "?").join(", ")
  const text = `insert into "${table}" (${names}) values (${placeholders}) on conflict (id) do nothing`
  const known = insertStatements.get(text)
  if (known) return known
  const prepared = database.prepare(text)
  insertStatements.set(text, prepared)
  return prepared
}

serveRequests(({ table, rows }: AppendBatch): null => {
  const batch: Row[] = JSON.parse(rows)
  const [first] = batch
  if (!first) return null
  const columns = Object.keys(first)
  const insert = prepareInsert(table, columns)
  database.exec("begin immediate")
  try {
    for (const row of batch) insert.run(...columns.map((name) => row[name] ?? null))
    database.exec("commit")
    return null
  } catch (error) {
    // On a full disk SQLite rolls back by itself; a second rollback would fail and mask the error.
    if (database.isTransaction) database.exec("rollback")
    throw error
  }
})
