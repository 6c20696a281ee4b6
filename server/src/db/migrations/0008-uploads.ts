import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds resumable uploads; received bytes are on the disk of the receiving process. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("uploads")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("user_id", text, (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("size", integer, (column) => column.notNull())
    .addColumn("filename", text, (column) => column.notNull())
    .addColumn("content_type", text, (column) => column.notNull())
    .addColumn("metadata", text, (column) => column.notNull())
    .addColumn("process", integer, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("expires_at", integer, (column) => column.notNull())
    .execute()
  await db.schema.createIndex("uploads_user").on("uploads").column("user_id").execute()
}
