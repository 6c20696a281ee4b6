import type { Kysely } from "kysely"
import { type Database, transactOn } from "./database.ts"
import type { Tables } from "./tables.ts"

/** Where a database is, for a thread that opens it by itself. */
export type DatabasePlace = Pick<Database, "file" | "url">

const openWriter = async ({ file, url }: DatabasePlace): Promise<Kysely<Tables>> => {
  if (url !== null) return (await import("./postgres.ts")).openPostgresWriter(url)
  if (file === null) throw new Error("a database is a file or at an address")
  return (await import("./sqlite.ts")).openSqliteWriter(file)
}

/**
 * A connection of a thread's own. What it commits to the embedded database has to be handed over
 * (`Database.handOver`).
 */
export const openBeside = async (place: DatabasePlace): Promise<Pick<Database, "transact">> => ({
  transact: transactOn(await openWriter(place)),
})
