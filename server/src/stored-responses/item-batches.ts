import { type Selectable, sql } from "kysely"
import type { StoredResponseItemRow } from "../db/response-tables.ts"

export type NewResponseItem = Pick<
  Selectable<StoredResponseItemRow>,
  "item_id" | "is_output" | "item" | "bytes"
>

/** Bytes of the items that one statement inserts: each statement of SQLite blocks the event loop. */
export const insertedBytesPerBatch = 500_000
/** A row takes as long as so many bytes: 250 small ones take about 3 ms. */
const rowBytes = 2000

export type PositionedItem = NewResponseItem & { position: number }

/** Consecutive items, as many as can be inserted in a few milliseconds, or a larger one alone. */
export const splitIntoBatches = (items: readonly NewResponseItem[]): PositionedItem[][] => {
  const batches: PositionedItem[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const [position, item] of items.entries()) {
    bytes += item.bytes + rowBytes
    if (bytes > insertedBytesPerBatch) {
      batches.push([])
      bytes = item.bytes + rowBytes
    }
    batches.at(-1)?.push({ position, ...item })
  }
  return batches
}

/** The rows of a batch, from a JSON array of positioned items. */
export const itemRows = {
  sqlite: (json: string) => sql`
    select value ->> 'position' as position, value ->> 'item_id' as item_id, value ->> 'is_output' as is_output,
      value ->> 'item' as item, value ->> 'bytes' as bytes from json_each(${json})`,
  postgres: (json: string) => sql`
    select position, item_id, is_output, item, bytes from json_to_recordset(${json})
      as rows (position integer, item_id text, is_output integer, item text, bytes bigint)`,
}
