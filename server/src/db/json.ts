import { type RawBuilder, sql } from "kysely"
import type { Database } from "./database.ts"

const functions = {
  sqlite: { array: sql.raw("json_group_array"), object: sql.raw("json_object") },
  postgres: { array: sql.raw("json_agg"), object: sql.raw("json_build_object") },
}

/**
 * All rows of a subquery as one text, an array of objects; null or `[]` for none.
 * @param fields names of the objects' members and the columns that they come from
 */
export const jsonRows = (
  { dialect }: Pick<Database, "dialect">,
  { fields, from, order }: { fields: Record<string, string>; from: string; order: string },
): RawBuilder<string | null> => {
  const { array, object } = functions[dialect]
  const members = Object.entries(fields).map(
    ([name, column]) => sql`${sql.lit(name)}, ${sql.ref(column)}`,
  )
  return sql<string | null>`(
    select cast(${array}(${object}(${sql.join(members)}) order by ${sql.ref(order)}) as text)
    from ${sql.raw(from)})`
}

/** The array of values that are JSON already. */
export const arrayOf = (values: readonly string[]): string => `[${values.join(",")}]`
