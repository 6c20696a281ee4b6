import { Kysely, PostgresDialect, sql } from "kysely"
import pg from "pg"
import { type Database, transactOn } from "./database.ts"
import type { Tables } from "./tables.ts"

const int8 = 20
const poolSize = 10
const connectTimeoutMs = 3000
const statementTimeoutMs = 30_000

/** Every 64-bit column holds a count or a time, all below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
}

/** PostgreSQL at `url`. Opening does not connect; the first query does. */
export const openPostgres = (url: string): Database & { writer: Kysely<Tables> } => {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    application_name: "portico",
    keepAlive: true,
    types,
  })
  // An idle connection that the server ends is replaced by the pool; unheard, it would end us.
  pool.on("error", () => {})
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return {
    dialect: "postgres",
    read: db,
    writer: db,
    transact: transactOn(db),
    exclusive: async (tx, lock) => {
      await sql`select pg_advisory_xact_lock(hashtext(${`portico:${lock}`}))`.execute(tx)
    },
    close: () => db.destroy(),
  }
}
