import type { SQLInputValue, StatementSync } from "node:sqlite"
import { workerData } from "node:worker_threads"
import { giveWay } from "../limits/thread-priority.ts"
import type { Batch } from "./appender.ts"
import { openFile } from "./sqlite-file.ts"
import { answerWith } from "./worker-client.ts"

/** Worker thread that `appender.ts` starts and sends batches to. */
type Row = Record<string, SQLInputValue>

// On a single core, requests take precedence. This niceness leaves the thread about a quarter of
// the core, twice what it needs.
giveWay(5)
const { path } = workerData as { path: string }
const database = openFile(path, false)
const insertions = new Map<string, StatementSync>()

const insertionInto = (table: string, columns: readonly string[]): StatementSync => {
  const names = columns.map((name) => `"${name}"`).join(", ")
  const marks = columns.map(() => "?").join(", ")
  const text = `insert into "${table}" (${names}) values (${marks}) on conflict (id) do nothing`
  const known = insertions.get(text)
  if (known) return known
  const made = database.prepare(text)
  insertions.set(text, made)
  return made
}

answerWith(({ table, rows }: Batch): null => {
  const written: Row[] = JSON.parse(rows)
  const [first] = written
  if (!first) return null
  const columns = Object.keys(first)
  const insertion = insertionInto(table, columns)
  database.exec("begin immediate")
  try {
    for (const row of written) insertion.run(...columns.map((name) => row[name] ?? null))
    database.exec("commit")
    return null
  } catch (error) {
    // On a full disk SQLite rolls back by itself; a second rollback would fail and mask the error.
    if (database.isTransaction) database.exec("rollback")
    throw error
  }
})
