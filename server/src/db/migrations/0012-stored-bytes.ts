import type { Kysely } from "kysely"

/** What a user stores is summed up within an index, and so is what all do. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const table of ["files", "uploads"]) {
    await db.schema.createIndex(`${table}_size`).on(table).columns(["user_id", "size"]).execute()
  }
  await db.schema.dropIndex("uploads_user").execute()
}
