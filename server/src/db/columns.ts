import { type Kysely, PostgresAdapter, type RawBuilder, sql } from "kysely"

interface ColumnTypes {
  text: "text" | RawBuilder<unknown>
  integer: "bigint"
  number: "double precision"
}

/**
 * Column types that behave alike on both databases: PostgreSQL's text compares by bytes, as
 * SQLite's does, and integers have 64 bits.
 */
export const columnTypes = (db: Kysely<unknown>): ColumnTypes => ({
  text: db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : "text",
  integer: "bigint",
  number: "double precision",
})
