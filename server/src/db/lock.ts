import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { codeOf } from "./contention.ts"

const sqliteBusy = 5
const isLocked = (error: unknown): boolean => {
  const code = codeOf(error)
  return typeof code === "number" && (code & 0xff) === sqliteBusy
}

/**
 * Holds the data folder for this process. SQLite's own file lock is used: the system drops it
 * when the process dies, however it dies, so nothing stale is left behind.
 * @returns a function that lets go
 * @throws when another process holds the folder
 */
export const holdDataDir = (dataDir: string): (() => void) => {
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
