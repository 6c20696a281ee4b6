import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

const busyTimeoutMs = 5000

/** The embedded database of a data folder. */
export const databaseFile = (dataDir: string): string => join(dataDir, "portico.db")

/** A connection to the embedded database, as every thread that writes or reads it wants it. */
export const openFile = (path: string, readOnly: boolean): DatabaseSync => {
  const database = new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs })
  if (!readOnly) database.exec("pragma journal_mode = wal")
  // Each commit is flushed by `log-sync.ts`: SQLite itself would make everybody wait for the disk.
  database.exec("pragma synchronous = normal")
  database.exec("pragma wal_autocheckpoint = 0")
  database.exec("pragma foreign_keys = on")
  return database
}
