import { readInChunks } from "../db/chunked-queries.ts"
import type { Reader } from "../db/database.ts"

/** Whose rows to read, and how old they may be. */
export interface ReadScope {
  userId: string
  /** Rows stored at this time, in epoch seconds, or earlier have expired. */
  expiredAt: number
}

export interface ItemSelection {
  ids: readonly string[]
  column: "bytes" | "item"
}

interface FoundItem {
  id: string
  value: string | number
}

/** One subquery each, below SQLite's limit on a compound query. */
const idsPerStatement = 100

/**
 * Reads a column of the newest item with each id. A client that sends its whole conversation with
 * every request stores an item many times, so each id is looked up on its own.
 */
export const selectNewestItems = (
  reader: Reader,
  { userId, expiredAt }: ReadScope,
  { ids, column }: ItemSelection,
): Promise<FoundItem[]> => {
  const newest = (id: string) =>
    reader
      .selectFrom((eb) =>
        eb
          .selectFrom("stored_response_items")
          .select(["item_id as id", `${column} as value`])
          .where("user_id", "=", userId)
          .where("item_id", "=", id)
          .where("created_at", ">", expiredAt)
          .orderBy("created_at", "desc")
          .limit(1)
          .as("newest"),
      )
      .select(({ ref }) => [ref("id").$castTo<string>().as("id"), "value"])
  const read = async (chunk: readonly string[]): Promise<FoundItem[]> => {
    const [first, ...rest] = chunk.map(newest)
    return first ? rest.reduce((all, one) => all.unionAll(one), first).execute() : []
  }
  return readInChunks(ids, read, idsPerStatement)
}
