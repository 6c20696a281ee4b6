import type { Insertable } from "kysely"
import { isOutage } from "../db/connection-errors.ts"
import type { Database } from "../db/database.ts"
import type { UsageRow } from "../db/tables.ts"

const writeMs = 500
/** Rows per transaction. Smaller batches cost more per row; larger ones block other writers. */
const rowsPerBatch = 500
const maxQueued = 20_000

export type UsageRecord = Insertable<UsageRow>

/**
 * Writes usage records in batches, in the background. A full queue drops new records and counts
 * them: recording usage never slows down a request.
 */
export const createRecorder = (db: Database) => {
  /** Serialized when queued: serializing hundreds of rows at once would block all requests. */
  let queue: string[] = []
  let dropped = 0
  let writing: Promise<void> | undefined

  /** Splits a failing batch, so that a record the database rejects does not block the others. */
  const writeWhatCan = async (rows: readonly string[]): Promise<void> => {
    try {
      // A batch whose outcome was lost is written again; existing ids are ignored.
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

  /** Writes what is queued now. Records that arrive meanwhile wait for a full batch. */
  const flush = async (): Promise<void> => {
    while (writing !== undefined) await writing
    await start(queue.length)
  }
  // Rows that could not be written stay queued for the next attempt.
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
