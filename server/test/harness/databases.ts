import { rmSync } from "node:fs"
import { expect, inject } from "vitest"
import type { Database } from "../../src/db/database.ts"
import { openDatabase } from "../../src/db/open.ts"
import { createPostgresDatabase } from "../setup/postgres.ts"
import { createDataDir, createMigratedDataDir } from "./migrated-data-dir.ts"
import { isLongForm } from "./short-and-long-form.ts"

/** A database for one test file. */
export interface TestDatabase {
  dataDir: string
  /** Undefined for the embedded database. */
  url: string | undefined
  /** Environment variables with which a gateway opens it. */
  env: Record<string, string>
  remove(): Promise<void>
}

export interface OpenedDatabase extends TestDatabase {
  db: Database
}

interface CreateOptions {
  /** Creates the tables; by default, true. A gateway creates those that are missing. */
  migrated?: boolean
}
type CreateTestDatabase = (options?: CreateOptions) => Promise<TestDatabase>

const createSqliteTestDatabase: CreateTestDatabase = async ({ migrated = true } = {}) => {
  const dataDir = await (migrated ? createMigratedDataDir() : createDataDir())
  return {
    dataDir,
    url: undefined,
    env: { DATA_DIR: dataDir },
    remove: async () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

const createPostgresTestDatabase: CreateTestDatabase = async ({ migrated = true } = {}) => {
  const dataDir = createDataDir()
  const template = migrated ? inject("migratedDatabase") : undefined
  const { url, drop } = await createPostgresDatabase(inject("databaseUrl"), template)
  return {
    dataDir,
    url,
    env: { DATA_DIR: dataDir, DATABASE_URL: url },
    remove: async () => {
      await drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const defineDatabase = (name: string, createDatabase: CreateTestDatabase) => ({
  name,
  createDatabase,
  /** Creates and opens a database; `remove` also closes it. */
  open: async (): Promise<OpenedDatabase> => {
    const created = await createDatabase()
    const db = await openDatabase({ DATABASE_URL: created.url, DATA_DIR: created.dataDir })
    return {
      ...created,
      db,
      remove: async () => {
        await db.close()
        await created.remove()
      },
    }
  },
})

/** Whether a PostgreSQL server is available; if not, the set-up prints a warning. */
export const hasPostgres = inject("databaseUrl") !== ""

const sqlite = defineDatabase("SQLite", createSqliteTestDatabase)
const postgres = defineDatabase("PostgreSQL", createPostgresTestDatabase)

/** For tests of features that only PostgreSQL has; undefined if it is not available. */
export const postgresDatabase = hasPostgres ? postgres : undefined

/** Each database gets half of the test files; a file always gets the same one. */
const databaseForFile = (path: string): typeof sqlite => {
  const name = path.split("/").slice(-2).join("/")
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0)
  return sum % 2 === 0 ? sqlite : postgres
}

/**
 * The databases for `describe.each`: in the long form, every supported database that is installed;
 * in the short form, one of them.
 */
export const chooseDatabases = (): (typeof sqlite)[] => {
  if (!hasPostgres) return [sqlite]
  if (isLongForm) return [sqlite, postgres]
  return [databaseForFile(expect.getState().testPath ?? "")]
}
