import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { createBatchedDeletion } from "../../db/batched-deletion.ts"
import { maxIdsPerStatement, readInChunks } from "../../db/chunked-queries.ts"
import type { Database, Reader, Tx } from "../../db/database.ts"
import { countRows } from "../../db/paged-queries.ts"
import { collectionFilesTable } from "../../users/owned-tables.ts"

const rowsPerStatement = 300
/** How many files one transaction removes from a collection. */
const filesAtOnce = 2000

/** Which files are in which collections. */
export const createCollectionLinks = (db: Database) => ({
  /** The ids that are not in the collection, deduplicated and in order. */
  missing: async (
    id: string,
    fileIds: readonly string[],
    reader: Reader = db.read,
  ): Promise<string[]> => {
    const rows = await readInChunks(fileIds, (chunk) =>
      reader
        .selectFrom("collection_files")
        .select("file_id")
        .where("collection_id", "=", id)
        .where("file_id", "in", chunk)
        .execute(),
    )
    const linked = new Set(rows.map(({ file_id }) => file_id))
    return [...new Set(fileIds)].filter((fileId) => !linked.has(fileId))
  },

  /** The first file added with these bytes, except failed and unprocessed ones. */
  fileOfBytes: async (tx: Tx, id: string, hash: string): Promise<string | undefined> => {
    const row = await tx
      .selectFrom("files")
      .innerJoin("collection_files", "collection_files.file_id", "files.id")
      .select("files.id")
      .where("files.hash", "=", hash)
      .where("collection_id", "=", id)
      .where("status", "not in", ["failed", "stored"])
      .orderBy("added_at")
      .limit(1)
      .executeTakeFirst()
    return row?.id
  },

  /** Number of files in all collections of a user. */
  count: (owner: string, reader: Reader = db.backgroundReader): Promise<number> =>
    countRows(
      reader
        .selectFrom("collection_files")
        .innerJoin("collections", "collections.id", "collection_files.collection_id")
        .where("user_id", "=", owner),
    ),

  /** The ids of all files of a collection, in pages; other requests run in between. */
  pages: async function* (reader: Reader, id: string): AsyncGenerator<string[]> {
    for (let last = ""; ; ) {
      const rows = await reader
        .selectFrom("collection_files")
        .select("file_id")
        .where("collection_id", "=", id)
        .where("file_id", ">", last)
        .orderBy("file_id")
        .limit(maxIdsPerStatement)
        .execute()
      last = rows.at(-1)?.file_id ?? ""
      if (last === "") return
      yield rows.map(({ file_id }) => file_id)
      await yieldToEventLoop()
    }
  },

  add: async (tx: Tx, id: string, fileIds: readonly string[], addedAt: number): Promise<void> => {
    for (let from = 0; from < fileIds.length; from += rowsPerStatement) {
      const chunk = fileIds.slice(from, from + rowsPerStatement)
      await tx
        .insertInto("collection_files")
        .values(chunk.map((file_id) => ({ collection_id: id, file_id, added_at: addedAt })))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
  },

  /** @returns false if the file was not in the collection */
  remove: async (tx: Tx, id: string, fileId: string): Promise<boolean> => {
    const { numDeletedRows } = await tx
      .deleteFrom("collection_files")
      .where("collection_id", "=", id)
      .where("file_id", "=", fileId)
      .executeTakeFirst()
    return numDeletedRows > 0n
  },

  removeAll: async (tx: Tx, id: string): Promise<void> => {
    await tx.deleteFrom("collection_files").where("collection_id", "=", id).execute()
  },

  /** Whether removing all files takes so long that it is done in several transactions. */
  areMany: async (id: string): Promise<boolean> => {
    const next = db.read.selectFrom("collection_files").where("collection_id", "=", id)
    const beyond = await next.select("file_id").limit(1).offset(filesAtOnce).executeTakeFirst()
    return beyond !== undefined
  },

  /** Removes all files in short transactions, each of which holds `lock`. */
  removeInBatches: (id: string, lock: string): Promise<void> => {
    const deleteInBatches = createBatchedDeletion(db, (work) =>
      db.essential.transactLocked([lock], work),
    )
    return deleteInBatches({ owned: [collectionFilesTable], ownerIds: [id] })
  },
})
