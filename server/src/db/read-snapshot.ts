import { existsSync } from "node:fs"
import { sql } from "kysely"
import type { Config } from "../config/config.ts"
import type { Reader } from "./database.ts"
import { openSqliteSnapshot } from "./sqlite.ts"
import { databasePath } from "./sqlite-file.ts"

/**
 * Runs `work` on a consistent, read-only snapshot of the database, even while gateways write to it.
 * Does not migrate.
 */
export const readSnapshot = async <T>(
  config: Pick<Config, "DATABASE_URL" | "DATA_DIR">,
  work: (reader: Reader) => Promise<T>,
): Promise<T> => {
  if (config.DATABASE_URL) {
    const { openPostgresWithoutTimeout } = await import("./postgres.ts")
    const db = openPostgresWithoutTimeout(config.DATABASE_URL)
    try {
      return await db.connection().execute(async (connection) => {
        await sql`begin isolation level repeatable read read only`.execute(connection)
        return work(connection)
      })
    } finally {
      await db.destroy()
    }
  }
  const path = databasePath(config.DATA_DIR)
  if (!existsSync(path)) throw new Error(`No database found at ${path}. Check DATA_DIR.`)
  const reader = openSqliteSnapshot(path)
  try {
    return await work(reader)
  } finally {
    await reader.destroy()
  }
}
