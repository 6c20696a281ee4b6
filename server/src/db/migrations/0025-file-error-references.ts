import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds what pages translate the error by with which a file's processing failed. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text } = columnTypes(db)
  await db.schema.alterTable("files").addColumn("error_reference", text).execute()
}
