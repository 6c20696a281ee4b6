import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds each user's instructions for all of their chats. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("personal_instructions")
    .addColumn("user_id", text, (column) =>
      column.primaryKey().references("users.id").onDelete("cascade"),
    )
    .addColumn("text", text, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .execute()
}
