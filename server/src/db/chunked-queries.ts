import { setImmediate as yieldToEventLoop } from "node:timers/promises"

/** Well below either database's limit of parameters per statement. */
export const maxIdsPerStatement = 500

/**
 * Reads rows by any number of ids, or writes and returns them, in statements of bounded size; other
 * requests run in between.
 */
export const readInChunks = async <T>(
  ids: readonly string[],
  read: (chunk: readonly string[]) => Promise<T[]>,
  size = maxIdsPerStatement,
): Promise<T[]> => {
  const rows: T[] = []
  for (let at = 0; at < ids.length; at += size) {
    if (at > 0) await yieldToEventLoop()
    for (const row of await read(ids.slice(at, at + size))) rows.push(row)
  }
  return rows
}

/** Sorts rows in the order of `ids`; ids without a row are skipped. */
export const orderByIds = <T extends { id: string }>(
  ids: readonly string[],
  rows: readonly T[],
): T[] => {
  const rowById = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => rowById.get(id) ?? [])
}
