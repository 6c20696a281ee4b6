import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds the date and the language of files' texts. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema.alterTable("files").addColumn("document_date", integer).execute()
  await db.schema.alterTable("files").addColumn("language", text).execute()
}
