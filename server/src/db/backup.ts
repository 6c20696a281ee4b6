import { chmodSync, existsSync, renameSync, rmSync } from "node:fs"
import { databaseFile, openFile } from "./sqlite-file.ts"

/**
 * Writes a consistent copy of the embedded database to `file`, also while the gateway runs: it is
 * the state of one moment, and writers go on meanwhile.
 * @throws when there is no database, or `file` cannot be written; nothing half done is left
 */
export const backUp = (dataDir: string, file: string): void => {
  const source = databaseFile(dataDir)
  if (!existsSync(source)) throw new Error(`There is no database at ${source}`)
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
