import { type Kysely, PostgresAdapter, type RawBuilder, sql } from "kysely"

interface ColumnTypes {
  text: "text" | RawBuilder<unknown>
  integer: "bigint"
  number: "double precision"
  bytes: "blob" | "bytea"
}

/** For what the two databases write differently: column types and triggers. */
export const isPostgres = (db: Kysely<unknown>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter

/**
 * Column types that behave alike on both databases: PostgreSQL's text compares by bytes, as
 * SQLite's does, and integers have 64 bits.
 */
export const columnTypes = (db: Kysely<unknown>): ColumnTypes => {
  const postgres = isPostgres(db)
  return {
    text: postgres ? sql`text collate "C"` : "text",
    integer: "bigint",
    number: "double precision",
    bytes: postgres ? "bytea" : "blob",
  }
}
