import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds what a request cost. Of earlier requests, it is not known. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { integer } = columnTypes(db)
  for (const name of ["cost", "overrun"])
    await db.schema.alterTable("usage").addColumn(name, integer).execute()
}
