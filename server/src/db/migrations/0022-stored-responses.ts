import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/**
 * Adds the responses of the Responses API. Their ids come from providers, so two users may have a
 * response with the same id.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("stored_responses")
    .addColumn("user_id", text, (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("id", text, (column) => column.notNull())
    .addColumn("previous_id", text)
    .addColumn("response", text, (column) => column.notNull())
    .addColumn("item_bytes", integer, (column) => column.notNull())
    .addColumn("bytes", integer, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("stored_responses_primary", ["user_id", "id"])
    .execute()
  // A user's total is summed from the index alone.
  await db.schema
    .createIndex("stored_responses_size")
    .on("stored_responses")
    .columns(["user_id", "created_at", "id", "bytes"])
    .execute()
  await db.schema
    .createIndex("stored_responses_age")
    .on("stored_responses")
    .columns(["created_at", "user_id", "id"])
    .execute()

  await db.schema
    .createTable("stored_response_items")
    .addColumn("user_id", text, (column) => column.notNull())
    .addColumn("response_id", text, (column) => column.notNull())
    .addColumn("position", integer, (column) => column.notNull())
    .addColumn("item_id", text)
    .addColumn("is_output", "integer", (column) => column.notNull())
    .addColumn("item", text, (column) => column.notNull())
    .addColumn("bytes", integer, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("stored_response_items_primary", [
      "user_id",
      "response_id",
      "position",
    ])
    .addForeignKeyConstraint(
      "stored_response_items_response",
      ["user_id", "response_id"],
      "stored_responses",
      ["user_id", "id"],
      (constraint) => constraint.onDelete("cascade"),
    )
    .execute()
  await db.schema
    .createIndex("stored_response_items_id")
    .on("stored_response_items")
    .columns(["user_id", "item_id", "created_at"])
    .execute()
}
