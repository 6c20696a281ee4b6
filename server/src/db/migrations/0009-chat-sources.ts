import type { Kysely } from "kysely"
import { columnTypes } from "../columns.ts"

/** What a message was asked about, and the passages that its answer was given. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text } = columnTypes(db)
  for (const name of ["files", "sources", "sources_skipped"]) {
    await db.schema.alterTable("chat_messages").addColumn(name, text).execute()
  }
  await db.schema
    .createTable("chat_passages")
    .addColumn("message_id", text, (column) =>
      column.primaryKey().references("chat_messages.id").onDelete("cascade"),
    )
    .addColumn("texts", text, (column) => column.notNull())
    .execute()
}
