import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

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
    throw new Error(
      `The data folder ${dataDir} is in use by another Portico process. Stop it first, or set DATA_DIR to another folder.`,
      { cause },
    )
  }
  return () => lock.close()
}
