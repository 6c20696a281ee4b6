import type { Selectable } from "kysely"
import type { Database, Tx } from "../db/database.ts"
import type { UploadRow } from "../db/file-tables.ts"
import { countRows } from "../db/paged-queries.ts"

export type StoredUpload = Selectable<UploadRow>

/** Unfinished uploads. */
export const createUploadStore = (db: Database) => ({
  byId: (id: string): Promise<StoredUpload | undefined> =>
    db.read.selectFrom("uploads").selectAll().where("id", "=", id).executeTakeFirst(),

  all: (): Promise<StoredUpload[]> => db.read.selectFrom("uploads").selectAll().execute(),

  /**
   * Inserts an upload unless `check` throws; `check` receives the counts including the new one, per
   * user and total. A lock serializes concurrent inserts, so the counts are exact.
   */
  insert: (
    row: StoredUpload,
    check: (counts: { perUser: number; total: number }) => void,
  ): Promise<void> =>
    db.transactLocked(["uploads"], async (tx) => {
      const uploads = tx.selectFrom("uploads")
      const ofUser = await countRows(uploads.where("user_id", "=", row.user_id))
      check({ perUser: ofUser + 1, total: (await countRows(uploads)) + 1 })
      await tx.insertInto("uploads").values(row).execute()
    }),

  /** @returns false if it was already removed */
  remove: async (tx: Tx, id: string): Promise<boolean> => {
    const deleted = await tx.deleteFrom("uploads").where("id", "=", id).returning("id").execute()
    return deleted.length > 0
  },
})

export type UploadStore = ReturnType<typeof createUploadStore>
