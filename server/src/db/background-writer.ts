import type { Kysely } from "kysely"
import { createTransact, type Database } from "./database.ts"
import type { Tables } from "./tables.ts"

/** The database's location, from which another thread can open it. */
export type DatabaseLocation = Pick<Database, "file" | "url">

const openWriter = async ({ file, url }: DatabaseLocation): Promise<Kysely<Tables>> => {
  if (url !== null) return (await import("./postgres.ts")).openPostgresWriter(url)
  if (file === null) throw new Error("A database location needs either a file or a URL")
  return (await import("./sqlite.ts")).openSqliteWriter(file)
}

/**
 * Opens a writable connection for another thread. On the embedded database, run its transactions
 * inside `Database.runExternalWrite`.
 */
export const openBackgroundWriter = async (
  location: DatabaseLocation,
): Promise<Pick<Database, "transact">> => ({
  transact: createTransact(await openWriter(location)),
})
