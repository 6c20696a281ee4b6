import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds the administrators' prices and facts of models. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("prices")
    .addColumn("model", text, (column) => column.notNull())
    .addColumn("provider", text, (column) => column.notNull())
    .addColumn("connection_id", text, (column) => column.notNull())
    .addColumn("valid_from", integer, (column) => column.notNull())
    .addColumn("entry", text, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("prices_key", ["model", "provider", "connection_id", "valid_from"])
    .execute()
}
