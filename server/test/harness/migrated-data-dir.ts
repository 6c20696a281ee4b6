import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openDatabase } from "../../src/db/open.ts"
import { databasePath } from "../../src/db/sqlite-file.ts"

/** Creates an empty data folder. */
export const createDataDir = (): string => mkdtempSync(join(tmpdir(), "portico-"))

const migrateTemplate = async (): Promise<string> => {
  const folder = createDataDir()
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const db = await openDatabase({ DATA_DIR: folder })
  await db.close()
  return databasePath(folder)
}

let template: Promise<string> | undefined

/** Creates a data folder with a migrated, otherwise empty SQLite database; migrates only once. */
export const createMigratedDataDir = async (): Promise<string> => {
  template ??= migrateTemplate()
  const folder = createDataDir()
  copyFileSync(await template, databasePath(folder))
  return folder
}
