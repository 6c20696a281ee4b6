import { type Kysely, sql } from "kysely"
import { columnTypes } from "../column-types.ts"

type Old = {
  models: { id: string; user_id: string; meta: string; params: string }
  model_contents: { model_id: string; meta: string; params: string }
}

/**
 * Moves a model's large columns to a separate table: SQLite would read through them to reach the
 * columns behind, and lists do not need them.
 */
export const up = async (untyped: Kysely<unknown>): Promise<void> => {
  const db = untyped.withTables<Old>()
  const { text } = columnTypes(untyped)
  await db.schema
    .createTable("model_contents")
    .addColumn("model_id", text, (column) =>
      column.primaryKey().references("models.id").onDelete("cascade"),
    )
    .addColumn("meta", text, (column) => column.notNull())
    .addColumn("params", text, (column) => column.notNull())
    .execute()
  await sql`insert into model_contents (model_id, meta, params)
    select id, '{}', params from models`.execute(db)
  // One at a time, as all of them may not fit into memory.
  for (const { id } of await db.selectFrom("models").select("id").execute()) {
    const byId = db.selectFrom("models").select("meta").where("id", "=", id)
    const { meta } = await byId.executeTakeFirstOrThrow()
    const { description = "", tags = [], ...rest } = JSON.parse(meta)
    const listed = JSON.stringify({ description, tags })
    await db.updateTable("models").set({ meta: listed }).where("id", "=", id).execute()
    await db
      .updateTable("model_contents")
      .set({ meta: JSON.stringify(rest) })
      .where("model_id", "=", id)
      .execute()
  }
  await db.schema.alterTable("models").dropColumn("params").execute()
}
