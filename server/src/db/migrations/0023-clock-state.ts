import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds the time at which the gateway last ran, with which a start compares the clock. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("clock_state")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("seen_at", integer, (column) => column.notNull())
    .addColumn("doubt_ms", integer, (column) => column.notNull())
    .execute()
}
