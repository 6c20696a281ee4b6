import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds whether a group pays for its members; so far, all did. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { integer } = columnTypes(db)
  await db.schema
    .alterTable("groups")
    .addColumn("pays", integer, (column) => column.notNull().defaultTo(1))
    .execute()
}
