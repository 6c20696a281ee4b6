import { type Kysely, PostgresAdapter, type RawBuilder, sql } from "kysely"

interface ColumnTypes {
  text: "text" | RawBuilder<unknown>
  integer: "bigint"
  number: "double precision"
  bytes: "blob" | "bytea"
}

/**
 * Column types that behave alike on both databases: PostgreSQL's text compares by bytes, as
 * SQLite's does, and integers have 64 bits.
 */
export const columnTypes = (db: Kysely<unknown>): ColumnTypes => {
  const postgres = db.getExecutor().adapter instanceof PostgresAdapter
  return {
    text: postgres ? sql`text collate "C"` : "text",
    integer: "bigint",
    number: "double precision",
    bytes: postgres ? "bytea" : "blob",
  }
}
