import { type RawBuilder, sql } from "kysely"
import { z } from "zod"
import type { Reader } from "../db/database.ts"
import { StorageBreakdown } from "./schema.ts"

/** PostgreSQL's sums are `numeric`, which the driver returns as text. */
const Sums = z.record(StorageBreakdown.keyof(), z.coerce.number())

const sumSubquery = (bytes: RawBuilder<unknown>, rows: RawBuilder<unknown>) =>
  sql`(select coalesce(sum(${bytes}), 0) from ${rows})`

const modelBytes = sql`octet_length(models.meta) + octet_length(c.meta) + octet_length(c.params)`

const questionBytes = sql`octet_length(question) + octet_length(previous)
  + octet_length(quotation) + octet_length(note)`

const promptBytes = sql`octet_length(title) + octet_length(content)`

/**
 * Bytes stored by one user, or by all users (`null`). Sizes of files and chats come from index
 * columns; `octet_length` does not read the value itself.
 */
export const readBreakdown = async (
  reader: Reader,
  user: string | null,
): Promise<StorageBreakdown> => {
  const ownerFilter = user === null ? sql`` : sql`where user_id = ${user}`
  const functionOwnerFilter = user === null ? sql`` : sql`where functions.user_id = ${user}`
  const functionRows = (table: RawBuilder<unknown>) =>
    sql`functions join ${table} as t on t.function_id = functions.id ${functionOwnerFilter}`
  const { rows } = await sql`select
    ${sumSubquery(sql`size`, sql`files ${ownerFilter}`)} + ${sumSubquery(sql`size`, sql`uploads ${ownerFilter}`)} as files,
    ${sumSubquery(sql`text_length`, sql`files ${ownerFilter}`)}
    + ${sumSubquery(
      questionBytes,
      sql`collection_questions
      join collections on collections.id = collection_id ${ownerFilter}`,
    )} as text,
    ${sumSubquery(sql`text_bytes`, sql`chats ${ownerFilter}`)} as chats,
    ${sumSubquery(sql`image_bytes`, sql`chats ${ownerFilter}`)} as images,
    ${sumSubquery(modelBytes, sql`models join model_contents as c on c.model_id = models.id ${ownerFilter}`)} as models,
    ${sumSubquery(promptBytes, sql`prompts ${ownerFilter}`)}
    + ${sumSubquery(sql`octet_length(text)`, sql`personal_instructions ${ownerFilter}`)}
    as prompts,
    ${sumSubquery(sql`bytes`, sql`stored_responses ${ownerFilter}`)} as responses,
    ${sumSubquery(sql`octet_length(t.content) + octet_length(t.code)`, functionRows(sql`function_versions`))}
    + ${sumSubquery(sql`octet_length(t.key) + octet_length(t.value)`, functionRows(sql`function_items`))}
    as functions`.execute(reader)
  return Sums.parse(rows[0])
}
