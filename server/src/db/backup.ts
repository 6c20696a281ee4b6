import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { databasePath, openSqliteFile } from "./sqlite-file.ts"

/** Holds the time of the last backup, for the administration pages. */
export const lastBackupPath = (dataDir: string): string => join(dataDir, "portico.last-backup")

const recordBackup = (dataDir: string): void => {
  try {
    writeFileSync(lastBackupPath(dataDir), new Date().toISOString(), { mode: 0o600 })
  } catch {
    // The data folder may be read-only to whoever makes backups.
  }
}

/**
 * Writes a consistent snapshot of the embedded database to `file`, even while the gateway runs;
 * writers are not blocked.
 * @throws if there is no database or `file` cannot be written; no partial file remains
 */
export const backUpDatabase = (dataDir: string, file: string): void => {
  const source = databasePath(dataDir)
  if (!existsSync(source)) throw new Error(`No database found at ${source}. Check DATA_DIR.`)
  const part = `${file}.part`
  rmSync(part, { force: true })
  const database = openSqliteFile(source, true)
  try {
    database.prepare("vacuum into ?").run(part)
    chmodSync(part, 0o600)
    renameSync(part, file)
    recordBackup(dataDir)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  } finally {
    database.close()
  }
}
