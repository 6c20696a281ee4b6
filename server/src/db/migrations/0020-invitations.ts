import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds links that let a person create an account. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .createTable("invitations")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("hash", text, (column) => column.notNull().unique())
    .addColumn("email", text)
    .addColumn("role", text, (column) => column.notNull())
    .addColumn("group_ids", text, (column) => column.notNull())
    .addColumn("created_by", text, (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("expires_at", integer, (column) => column.notNull())
    .addColumn("revoked_at", integer)
    .addColumn("accepted_at", integer)
    .addColumn("accepted_by", text, (column) => column.references("users.id").onDelete("set null"))
    .execute()
  for (const column of ["created_by", "accepted_by"]) {
    await db.schema.createIndex(`invitations_${column}`).on("invitations").column(column).execute()
  }
}
