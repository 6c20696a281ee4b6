import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { Kysely, PGliteDialect } from "kysely"
import { type Database, transactOn } from "../src/db/database.ts"
import { migrate } from "../src/db/migrate.ts"
import { appendOn } from "../src/db/postgres.ts"
import type { Tables } from "../src/db/tables.ts"
import { createTurns } from "../src/db/turns.ts"

/** A PostgreSQL in this process, with pgvector at hand and one connection for all. */
export const openPglite = async (): Promise<Database> => {
  const pglite = await PGlite.create({ extensions: { vector } })
  const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) })
  await migrate(db)
  return {
    dialect: "postgres",
    file: null,
    read: db,
    aside: db,
    transact: transactOn(db),
    transactLoosely: transactOn(db),
    append: appendOn(db),
    execute: (statement) => statement(db),
    exclusive: async () => {},
    alone: createTurns(),
    patiently: (work) => work(db),
    probe: async () => {},
    relieve: async () => {},
    close: () => db.destroy(),
  }
}
