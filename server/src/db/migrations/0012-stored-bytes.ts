import type { Kysely } from "kysely"

/** Indexes the sizes, so that storage per user and in total is summed from the index alone. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const table of ["files", "uploads"]) {
    await db.schema.createIndex(`${table}_size`).on(table).columns(["user_id", "size"]).execute()
  }
  await db.schema.dropIndex("uploads_user").execute()
}
