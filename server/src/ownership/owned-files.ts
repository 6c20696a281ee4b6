import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { sql } from "kysely"
import { maxIdsPerStatement } from "../db/chunked-queries.ts"
import type { Reader } from "../db/database.ts"

const columns = ["id", "filename", "size", "text_length", "created_at"] as const

/** A user's files, of which there may be 100,000, in pages; other requests run in between. */
export const readOwnedFiles = async function* (reader: Reader, ownerId: string) {
  const owned = reader.selectFrom("files").select(columns).where("user_id", "=", ownerId)
  let matching = owned
  for (;;) {
    const page = await matching
      .orderBy("created_at")
      .orderBy("id")
      .limit(maxIdsPerStatement)
      .execute()
    const last = page.at(-1)
    if (!last) return
    yield page
    await yieldToEventLoop()
    matching = owned.where(sql<boolean>`(created_at, id) > (${last.created_at}, ${last.id})`)
  }
}
