import { mergeQuantizedVectors } from "@portico/search"
import { openSqliteFile } from "../../db/sqlite-file.ts"

/** Reads SQLite in the search thread, so that the main thread is not blocked. */
export const createSearchDataReader = (path: string) => {
  const database = openSqliteFile(path, true)
  const words = database.prepare("select data from file_words where file_id = ?")
  const vectors = database.prepare(
    "select count, coarse from vector_batches where space_id = ? and file_id = ? order by first",
  )
  return {
    words: (fileId: string): Uint8Array | null => {
      const data = words.get(fileId)?.data
      return data instanceof Uint8Array ? data : null
    },

    /** As packed by `packQuantizedVectors`. */
    vectors: (indexId: string, fileId: string): { count: number; data: Uint8Array } | null => {
      const packs = vectors
        .all(indexId, fileId)
        .flatMap(({ count, coarse }) =>
          coarse instanceof Uint8Array ? [{ count: Number(count), data: coarse }] : [],
        )
      return packs.length > 0 ? mergeQuantizedVectors(packs) : null
    },
  }
}
