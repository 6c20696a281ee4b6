import type { Database } from "./database.ts"

/** The database's location, from which another thread can open it. */
export type DatabaseLocation = Pick<Database, "file" | "url">

/**
 * Opens a writable connection for another thread. On the embedded database, run its transactions
 * inside `Database.runExternalWrite`.
 */
export const openBackgroundWriter = async ({
  file,
  url,
}: DatabaseLocation): Promise<Pick<Database, "transact">> => {
  if (url !== null) {
    const { openPostgresTransact } = await import("./postgres.ts")
    return { transact: openPostgresTransact(url) }
  }
  if (file === null) throw new Error("A database location needs either a file or a URL")
  const { openSqliteTransact } = await import("./sqlite.ts")
  return { transact: openSqliteTransact(file) }
}
