import type { Selectable } from "kysely"
import type { Database, Tx } from "../db/database.ts"
import type { UploadRow } from "../db/file-tables.ts"

export type StoredUpload = Selectable<UploadRow>

/** Uploads that are not whole yet. */
export const createUploadStore = (db: Database) => ({
  byId: (id: string): Promise<StoredUpload | undefined> =>
    db.read.selectFrom("uploads").selectAll().where("id", "=", id).executeTakeFirst(),

  all: (): Promise<StoredUpload[]> => db.read.selectFrom("uploads").selectAll().execute(),

  /** How many there are, of one user or of all. */
  count: async (userId?: string): Promise<number> => {
    const { count } = await db.read
      .selectFrom("uploads")
      .$if(userId !== undefined, (query) => query.where("user_id", "=", userId ?? ""))
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  insert: (row: StoredUpload): Promise<void> =>
    db.transact(async (tx) => {
      await tx.insertInto("uploads").values(row).execute()
    }),

  /** @returns false when it was gone already */
  remove: async (tx: Tx, id: string): Promise<boolean> => {
    const gone = await tx.deleteFrom("uploads").where("id", "=", id).returning("id").execute()
    return gone.length > 0
  },
})

export type UploadStore = ReturnType<typeof createUploadStore>
