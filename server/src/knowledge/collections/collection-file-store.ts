import type { Database } from "../../db/database.ts"
import { readPage } from "../../db/paged-queries.ts"
import { columnContains } from "../../db/text-matching.ts"
import {
  embeddedCount,
  type FileSummary,
  fileSummaryColumns,
  type StoredFile,
} from "../../files/file-store.ts"
import { FileStatus } from "../../files/schema.ts"
import type { Page } from "../../http/pagination.ts"
import { type CollectionFileQuery, FileCounts } from "../schema.ts"

const noFiles = FileCounts.parse(
  Object.fromEntries(FileCounts.keyof().options.map((name) => [name, 0])),
)

/**
 * Reads the files of collections in the order in which they were added. A collection may have tens
 * of thousands.
 */
export const createCollectionFileStore = (db: Database) => {
  const filesIn = (id: string) =>
    db.read
      .selectFrom("collection_files")
      .innerJoin("files", "files.id", "collection_files.file_id")
      .where("collection_files.collection_id", "=", id)

  const selectFull = (matching: ReturnType<typeof filesIn>) =>
    matching.selectAll("files").select(embeddedCount).orderBy("added_at").orderBy("file_id")

  return {
    first: (id: string, max: number): Promise<StoredFile[]> =>
      selectFull(filesIn(id)).limit(max).execute(),

    all: (id: string): Promise<FileSummary[]> =>
      filesIn(id).select(fileSummaryColumns).orderBy("added_at").orderBy("file_id").execute(),

    page: (id: string, query: CollectionFileQuery): Promise<Page<StoredFile>> => {
      const { status, query: text } = query
      let matching = filesIn(id)
      if (status) matching = matching.where("files.status", "in", status)
      if (text) matching = matching.where(columnContains("filename_key", text))
      return readPage(selectFull(matching), query)
    },

    /** Number of files per collection, in total and by status. */
    counts: async (ids: readonly string[]): Promise<(id: string) => FileCounts> => {
      if (ids.length === 0) return () => noFiles
      const byId = new Map(ids.map((id) => [id, { ...noFiles }]))
      // Reads all files of these collections, which may be many.
      const rows = await db.backgroundReader
        .selectFrom("collection_files")
        .innerJoin("files", "files.id", "collection_files.file_id")
        .where("collection_id", "in", ids)
        .select(["collection_id", "status"])
        .select(({ fn }) => fn.countAll<number>().as("files"))
        .groupBy(["collection_id", "status"])
        .execute()
      for (const { collection_id, status, files } of rows) {
        const counts = byId.get(collection_id)
        if (!counts) continue
        counts[FileStatus.parse(status)] += files
        counts.total += files
      }
      return (id) => byId.get(id) ?? noFiles
    },
  }
}

export type CollectionFileStore = ReturnType<typeof createCollectionFileStore>
