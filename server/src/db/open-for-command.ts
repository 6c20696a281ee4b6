import { existsSync } from "node:fs"
import type { Config } from "../config/config.ts"
import type { CommandDatabase } from "./database.ts"
import { openSqliteForCommand } from "./sqlite.ts"
import { databasePath } from "./sqlite-file.ts"

/**
 * Opens the configured database for a command that writes while gateways run. Does not migrate.
 * @throws if there is none
 */
export const openForCommand = async (
  config: Pick<Config, "DATABASE_URL" | "DATA_DIR">,
): Promise<CommandDatabase> => {
  if (config.DATABASE_URL) {
    const { openPostgres } = await import("./postgres.ts")
    return openPostgres(config.DATABASE_URL)
  }
  const path = databasePath(config.DATA_DIR)
  if (!existsSync(path)) throw new Error(`No database found at ${path}. Check DATA_DIR.`)
  return openSqliteForCommand(path)
}
