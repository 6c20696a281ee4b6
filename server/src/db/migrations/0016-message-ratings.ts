import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds ratings of answers, whether an answer was edited, and how long its model thought. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .alterTable("chat_messages")
    .addColumn("edited", integer, (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable("chat_messages").addColumn("thinking_ms", integer).execute()
  await db.schema
    .createTable("message_ratings")
    .addColumn("message_id", text, (column) =>
      column.primaryKey().references("chat_messages.id").onDelete("cascade"),
    )
    .addColumn("value", text, (column) => column.notNull())
    .addColumn("reason", text, (column) => column.notNull())
    .addColumn("rated_at", integer, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex("message_ratings_latest")
    .on("message_ratings")
    .columns(["rated_at", "message_id"])
    .execute()
}
