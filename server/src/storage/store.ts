import { type RawBuilder, sql } from "kysely"
import type { Reader } from "../db/database.ts"
import type { StorageBreakdown } from "./schema.ts"

/** PostgreSQL's sums are `numeric`, which the driver returns as text. */
type Sums = Record<keyof StorageBreakdown, number | string>

const sumOf = (bytes: RawBuilder<unknown>, rows: RawBuilder<unknown>) =>
  sql`(select coalesce(sum(${bytes}), 0) from ${rows})`

const modelBytes = sql`octet_length(models.meta) + octet_length(c.meta) + octet_length(c.params)`

/**
 * Bytes stored by one user, or by all users (`null`). Sizes of files and chats come from index
 * columns; `octet_length` does not read the value itself.
 */
export const readBreakdown = async (
  reader: Reader,
  user: string | null,
): Promise<StorageBreakdown> => {
  const owned = user === null ? sql`` : sql`where user_id = ${user}`
  const ofFunctions = user === null ? sql`` : sql`where functions.user_id = ${user}`
  const functionRows = (table: RawBuilder<unknown>) =>
    sql`functions join ${table} as t on t.function_id = functions.id ${ofFunctions}`
  const { rows } = await sql<Sums>`select
    ${sumOf(sql`size`, sql`files ${owned}`)} + ${sumOf(sql`size`, sql`uploads ${owned}`)} as files,
    ${sumOf(sql`text_length`, sql`files ${owned}`)} as text,
    ${sumOf(sql`text_bytes`, sql`chats ${owned}`)} as chats,
    ${sumOf(sql`image_bytes`, sql`chats ${owned}`)} as images,
    ${sumOf(modelBytes, sql`models join model_contents as c on c.model_id = models.id ${owned}`)} as models,
    ${sumOf(sql`octet_length(t.content) + octet_length(t.code)`, functionRows(sql`function_versions`))}
    + ${sumOf(sql`octet_length(t.key) + octet_length(t.value)`, functionRows(sql`function_items`))}
    as functions`.execute(reader)
  const sums = rows[0]
  return {
    files: Number(sums?.files ?? 0),
    text: Number(sums?.text ?? 0),
    chats: Number(sums?.chats ?? 0),
    images: Number(sums?.images ?? 0),
    models: Number(sums?.models ?? 0),
    functions: Number(sums?.functions ?? 0),
  }
}
