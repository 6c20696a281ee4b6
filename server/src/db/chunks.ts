import { setImmediate as yieldToEventLoop } from "node:timers/promises"

/** Well below the number of parameters that either database takes in one statement. */
const maxIdsPerStatement = 500

/** Reads the rows of any number of ids in statements of bounded size; other requests run in between. */
export const readInChunks = async <T>(
  ids: readonly string[],
  read: (chunk: readonly string[]) => Promise<T[]>,
): Promise<T[]> => {
  const rows: T[] = []
  for (let at = 0; at < ids.length; at += maxIdsPerStatement) {
    if (at > 0) await yieldToEventLoop()
    for (const row of await read(ids.slice(at, at + maxIdsPerStatement))) rows.push(row)
  }
  return rows
}
