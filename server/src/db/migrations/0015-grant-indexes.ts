import type { Kysely } from "kysely"

/**
 * Adds indexes for listing collections: grants to a principal, a user's own, and the first files.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.dropIndex("access_grants_principal").execute()
  await db.schema
    .createIndex("access_grants_principal")
    .on("access_grants")
    .columns(["principal_type", "principal_id", "resource_type", "resource_id"])
    .execute()
  await db.schema.createIndex("collections_user").on("collections").column("user_id").execute()
  await db.schema
    .createIndex("collection_files_added")
    .on("collection_files")
    .columns(["collection_id", "added_at", "file_id"])
    .execute()
}
