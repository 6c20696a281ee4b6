import type { Insertable } from "kysely"
import { isOutage } from "../db/connection-errors.ts"
import type { Database } from "../db/database.ts"
import type { UsageRow } from "../db/tables.ts"

const writeMs = 500
/** In one transaction: fewer cost more each, and for many other writers wait. */
const rowsPerBatch = 500
const maxQueued = 20_000

export type UsageRecord = Insertable<UsageRow>

/**
 * Writes usage in batches behind the requests' backs. A full queue drops new records and counts
 * them: keeping book never slows a request.
 */
export const createRecorder = (db: Database) => {
  /** As JSON from the start: to write hundreds of rows at once would hold up every request. */
  let queue: string[] = []
  let dropped = 0
  let writing: Promise<void> | undefined

  /** A record that no database takes must not keep the others waiting. */
  const writeWhatCan = async (rows: readonly string[]): Promise<void> => {
    try {
      // A batch whose answer was lost is written again.
      await db.append("usage", rows)
    } catch (error) {
      if (isOutage(error)) throw error
      if (rows.length === 1) {
        dropped++
        return
      }
      const half = Math.ceil(rows.length / 2)
      await writeWhatCan(rows.slice(0, half))
      await writeWhatCan(rows.slice(half))
    }
  }

  const writeFirst = async (count: number): Promise<void> => {
    for (let left = count; left > 0; ) {
      const rows = queue.slice(0, Math.min(left, rowsPerBatch))
      await writeWhatCan(rows)
      queue = queue.slice(rows.length)
      left -= rows.length
    }
  }

  const start = (count: number): Promise<void> => {
    writing ??= writeFirst(count).finally(() => {
      writing = undefined
    })
    return writing
  }

  /** What is queued by now: what comes meanwhile is left to become a whole batch. */
  const flush = async (): Promise<void> => {
    while (writing !== undefined) await writing
    await start(queue.length)
  }
  // What could not be written stays queued for the next turn.
  const writeSoon = (): void =>
    void start(queue.length - (queue.length % rowsPerBatch)).catch(() => {})
  const timer = setInterval(() => void flush().catch(() => {}), writeMs).unref()

  return {
    record: (row: UsageRecord): void => {
      if (queue.length >= maxQueued) dropped++
      else if (queue.push(JSON.stringify(row)) >= rowsPerBatch) writeSoon()
    },
    dropped: (): number => dropped,
    queued: (): number => queue.length,
    flush,
    close: async (): Promise<void> => {
      clearInterval(timer)
      await flush().catch(() => {})
    },
  }
}

export type Recorder = ReturnType<typeof createRecorder>
