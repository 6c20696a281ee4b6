import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

const busyTimeoutMs = 5000

/** Path of the embedded database in a data folder. */
export const databasePath = (dataDir: string): string => join(dataDir, "portico.db")

/** Prepares reading a number that SQLite reports, such as `page_count`. */
export const preparePragma = (database: DatabaseSync, name: string): (() => number) => {
  const statement = database.prepare(`pragma ${name}`)
  return () => Number(statement.get()?.[name])
}

/** Opens a connection to the embedded database with the settings that every thread uses. */
export const openSqliteFile = (path: string, readOnly: boolean): DatabaseSync => {
  const database = new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs })
  if (!readOnly) database.exec("pragma journal_mode = wal")
  // `wal-sync.ts` flushes commits: with `synchronous = full`, SQLite would block the thread on the
  // disk.
  database.exec("pragma synchronous = normal")
  database.exec("pragma wal_autocheckpoint = 0")
  database.exec("pragma foreign_keys = on")
  return database
}
