import type { Selectable } from "kysely"
import type { Database, Tx } from "../db/database.ts"
import type { UploadRow } from "../db/file-tables.ts"

export type StoredUpload = Selectable<UploadRow>

/** How many there are, of one user or of all. */
const count = async (tx: Tx, userId?: string): Promise<number> => {
  const { count } = await tx
    .selectFrom("uploads")
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId ?? ""))
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Uploads that are not whole yet. */
export const createUploadStore = (db: Database) => ({
  byId: (id: string): Promise<StoredUpload | undefined> =>
    db.read.selectFrom("uploads").selectAll().where("id", "=", id).executeTakeFirst(),

  all: (): Promise<StoredUpload[]> => db.read.selectFrom("uploads").selectAll().execute(),

  /**
   * Adds one unless `check` throws, which is told how many there are with it, of its user and of all;
   * those that are added at the same time are counted one after another.
   */
  insert: (
    row: StoredUpload,
    check: (counts: { perUser: number; total: number }) => void,
  ): Promise<void> =>
    db.transact(async (tx) => {
      await db.exclusive(tx, "uploads")
      check({ perUser: (await count(tx, row.user_id)) + 1, total: (await count(tx)) + 1 })
      await tx.insertInto("uploads").values(row).execute()
    }),

  /** @returns false when it was gone already */
  remove: async (tx: Tx, id: string): Promise<boolean> => {
    const gone = await tx.deleteFrom("uploads").where("id", "=", id).returning("id").execute()
    return gone.length > 0
  },
})

export type UploadStore = ReturnType<typeof createUploadStore>
