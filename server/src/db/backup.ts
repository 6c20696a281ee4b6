import { chmodSync, existsSync, renameSync, rmSync } from "node:fs"
import { databaseFile, openFile } from "./sqlite-file.ts"

/**
 * Writes a consistent snapshot of the embedded database to `file`, even while the gateway runs;
 * writers are not blocked.
 * @throws if there is no database or `file` cannot be written; no partial file remains
 */
export const backUp = (dataDir: string, file: string): void => {
  const source = databaseFile(dataDir)
  if (!existsSync(source)) throw new Error(`No database found at ${source}. Check DATA_DIR.`)
  const part = `${file}.part`
  rmSync(part, { force: true })
  const database = openFile(source, true)
  try {
    database.prepare("vacuum into ?").run(part)
    chmodSync(part, 0o600)
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  } finally {
    database.close()
  }
}
