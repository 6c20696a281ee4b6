import type { Kysely } from "kysely"
import { columnTypes } from "../column-types.ts"

const tokenKinds = [
  ...["tokens_cache_read", "tokens_cache_write", "tokens_cache_write_1h", "tokens_reasoning"],
  ...["tokens_audio_in", "tokens_audio_out", "tokens_image_in", "tokens_image_out"],
]

/**
 * Adds what a usage record must contain for its cost to be computed later. Of earlier requests, it
 * is not known.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  const add = (name: string, type: typeof text | typeof integer) =>
    db.schema.alterTable("usage").addColumn(name, type).execute()
  for (const name of ["group_id", "upstream_model", "service_tier"]) await add(name, text)
  for (const name of ["attempts", ...tokenKinds]) await add(name, integer)
}
