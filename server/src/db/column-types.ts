import { type Kysely, PostgresAdapter, type RawBuilder, sql } from "kysely"

/** 0 or 1; native booleans are not portable between the databases. */
export type SqlBoolean = 0 | 1

interface ColumnTypes {
  text: "text" | RawBuilder<unknown>
  integer: "bigint"
  number: "double precision"
  bytes: "blob" | "bytea"
}

/** Whether `db` is PostgreSQL, for DDL that differs between the two: column types and triggers. */
export const isPostgres = (db: Kysely<unknown>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter

/**
 * Column types that behave the same on both databases: text compares bytewise on PostgreSQL too, as
 * in SQLite, and integers have 64 bits.
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
