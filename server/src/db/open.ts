import { type BackgroundTasks, createBackgroundTasks } from "../background/background-tasks.ts"
import type { Config } from "../config/config.ts"
import type { Database } from "./database.ts"
import { migrate } from "./migrate.ts"
import type { PostgresOptions } from "./postgres.ts"
import { openSqlite } from "./sqlite.ts"

/** Names the database's address without its password. */
const unreachableError = (url: string, cause: unknown): Error => {
  const { host, pathname } = new URL(url)
  const reason = cause instanceof AggregateError ? cause.errors[0] : cause
  const message = reason instanceof Error ? reason.message : String(reason)
  return new Error(`Cannot use the database ${host}${pathname} (DATABASE_URL): ${message}`)
}

interface OpenDatabaseOptions extends PostgresOptions {
  /** If omitted, failures of background tasks are not logged. */
  background?: BackgroundTasks
  report?: (message: string) => void
}

const unloggedTasks = (): BackgroundTasks => createBackgroundTasks({ log: { error: () => {} } })

/** Opens and migrates the configured database. @throws if it is not available */
export const openDatabase = async (
  config: Pick<Config, "DATABASE_URL" | "DATA_DIR">,
  { report = () => {}, background = unloggedTasks(), ...options }: OpenDatabaseOptions = {},
): Promise<Database> => {
  if (config.DATABASE_URL) {
    const { openPostgresWithoutTimeout, openPostgres } = await import("./postgres.ts")
    const writer = openPostgresWithoutTimeout(config.DATABASE_URL)
    try {
      await migrate(writer, report)
    } catch (cause) {
      throw unreachableError(config.DATABASE_URL, cause)
    } finally {
      await writer.destroy()
    }
    return openPostgres(config.DATABASE_URL, options)
  }
  const database = openSqlite(config.DATA_DIR, background)
  try {
    await migrate(database.writer, report)
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}
