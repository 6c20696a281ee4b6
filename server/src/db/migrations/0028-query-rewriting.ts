import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds when the questions to a collection are rewritten. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable("collections")
    .addColumn("query_rewriting", columnTypes(db).text, (column) =>
      column.notNull().defaultTo("automatic"),
    )
    .execute()
}
