import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds the prompt library. A command is unique among its owner's prompts. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("prompts")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("user_id", text, (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("command", text, (column) => column.notNull())
    .addColumn("title", text, (column) => column.notNull())
    .addColumn("title_key", text, (column) => column.notNull())
    .addColumn("content", text, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .addUniqueConstraint("prompts_command", ["user_id", "command"])
    .execute()
}
