import { type RawBuilder, sql } from "kysely"
import type { Database } from "../../db/database.ts"

/** Type of a column on PostgreSQL; SQLite takes it from the JSON value. */
type ColumnType = "text" | "bigint" | "double precision"

/**
 * A subquery with rows from memory, so that a statement has the same text for any number of rows
 * and is planned once.
 */
export const selectFromRows = <Column extends string>(
  { dialect }: Pick<Database, "dialect">,
  columns: Record<Column, ColumnType>,
  rows: readonly Record<Column, string | number | null>[],
): RawBuilder<unknown> => {
  const json = JSON.stringify(rows)
  const types = Object.entries<ColumnType>(columns)
  if (dialect === "sqlite") {
    const members = types.map(([name]) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`)
    return sql`(select ${sql.join(members)} from json_each(${json}))`
  }
  const definitions = types.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`)
  return sql`(select * from json_to_recordset(${json}::json) as members (${sql.join(definitions)}))`
}
