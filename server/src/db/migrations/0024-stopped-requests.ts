import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds the request whose answer was stopped, for a process that misses the notification. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text } = columnTypes(db)
  await db.schema.alterTable("chat_messages").addColumn("stopped_request_id", text).execute()
}
