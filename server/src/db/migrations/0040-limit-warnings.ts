import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds warnings of limits, and a webhook with the events that it has not accepted yet. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("limit_warnings")
    .addColumn("limit_id", text, (column) =>
      column.primaryKey().references("limits.id").onDelete("cascade"),
    )
    .addColumn("period", text, (column) => column.notNull())
    .addColumn("level", "integer", (column) => column.notNull())
    .addColumn("amount", integer, (column) => column.notNull())
    .addColumn("warned_ms", integer, (column) => column.notNull())
    .execute()

  await db.schema
    .createTable("webhooks")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("url", text, (column) => column.notNull())
    .addColumn("sealed_secret", text, (column) => column.notNull())
    .addColumn("secret_created_ms", integer, (column) => column.notNull())
    .addColumn("last_type", text)
    .addColumn("last_ms", integer)
    .addColumn("last_status", "integer")
    .addColumn("last_error", text)
    .execute()

  await db.schema
    .createTable("webhook_events")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("type", text, (column) => column.notNull())
    .addColumn("body", text, (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("due_ms", integer, (column) => column.notNull())
    .addColumn("created_ms", integer, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex("webhook_events_due")
    .on("webhook_events")
    .columns(["due_ms"])
    .execute()
}
