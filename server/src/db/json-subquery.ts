import { type RawBuilder, sql } from "kysely"
import type { Database } from "./database.ts"

const jsonFunctions = {
  sqlite: { array: sql.raw("json_group_array"), object: sql.raw("json_object") },
  postgres: { array: sql.raw("json_agg"), object: sql.raw("json_build_object") },
}

/**
 * All rows of a subquery as one JSON array of objects, in text form; null or `[]` if there are
 * none.
 * @param fields object keys, with the columns that supply their values
 */
export const jsonRowsSubquery = (
  { dialect }: Pick<Database, "dialect">,
  { fields, from, order }: { fields: Record<string, string>; from: string; order: string },
): RawBuilder<string | null> => {
  const { array, object } = jsonFunctions[dialect]
  const members = Object.entries(fields).map(
    ([name, column]) => sql`${sql.lit(name)}, ${sql.ref(column)}`,
  )
  return sql<string | null>`(
    select cast(${array}(${object}(${sql.join(members)}) order by ${sql.ref(order)}) as text)
    from ${sql.raw(from)})`
}

/** Builds a JSON array from values that are already JSON. */
export const joinJsonArray = (values: readonly string[]): string => `[${values.join(",")}]`
