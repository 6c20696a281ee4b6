import type { Config } from "../config.ts"
import type { Database } from "./database.ts"
import { migrate } from "./migrate.ts"
import { openPostgres } from "./postgres.ts"
import { openSqlite } from "./sqlite.ts"

/** Opens the configured database and migrates it. */
export const openDatabase = async (
  config: Pick<Config, "DATABASE_URL" | "DATA_DIR">,
): Promise<Database> => {
  const database = config.DATABASE_URL
    ? openPostgres(config.DATABASE_URL)
    : openSqlite(config.DATA_DIR)
  try {
    await migrate(database.writer)
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}
