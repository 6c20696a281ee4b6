import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { databaseErrorCode } from "./write-conflicts.ts"

const sqliteBusy = 5
const isLocked = (error: unknown): boolean => {
  const code = databaseErrorCode(error)
  return typeof code === "number" && (code & 0xff) === sqliteBusy
}

/**
 * Locks the data folder for this process with SQLite's file lock, which the system releases however
 * the process ends, so no stale lock remains.
 * @returns a function that releases it
 * @throws if another process holds the lock
 */
export const lockDataDir = (dataDir: string): (() => void) => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = new DatabaseSync(join(dataDir, "portico.lock"))
  try {
    lock.exec("pragma locking_mode = exclusive")
    lock.exec("begin exclusive")
  } catch (cause) {
    lock.close()
    if (!isLocked(cause)) throw cause
    throw new Error(
      `The data folder ${dataDir} is in use by another Portico process. Stop it first, or set DATA_DIR to another folder.`,
      { cause },
    )
  }
  return () => lock.close()
}
