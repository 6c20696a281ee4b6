import { setImmediate as yieldToEventLoop } from "node:timers/promises"

/** Well below the number of parameters that either database takes in one statement. */
export const maxIdsPerStatement = 500

/** Reads the rows of any number of ids in statements of bounded size; other requests run in between. */
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

/** In the order of `ids`; those without a row are left out. */
export const orderByIds = <T extends { id: string }>(
  ids: readonly string[],
  rows: readonly T[],
): T[] => {
  const rowById = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => rowById.get(id) ?? [])
}

interface Deletion<Row> {
  /** The first rows after `last`, in their order; none where there are no more. */
  next: (last: Row | undefined) => Promise<readonly Row[]>
  /** Deletes all rows from the first to the last of a chunk. */
  remove: (chunk: { first: Row; last: Row; rows: readonly Row[] }) => Promise<unknown>
}

/** Deletes any number of rows in statements of bounded size; other requests run in between. */
export const deleteInChunks = async <Row>({ next, remove }: Deletion<Row>): Promise<void> => {
  let last: Row | undefined
  for (;;) {
    // After the last one: what is deleted already must not be gone through each time again.
    const rows = await next(last)
    const [first] = rows
    last = rows.at(-1)
    if (first === undefined || last === undefined) return
    await remove({ first, last, rows })
    await yieldToEventLoop()
  }
}
