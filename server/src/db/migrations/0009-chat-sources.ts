import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds the files and collections a message refers to, and the passages used for its answer. */
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
