import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds what an answer cost, in nano-dollars. That of earlier answers is not known. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable("chat_messages").addColumn("cost", columnTypes(db).integer).execute()
}
