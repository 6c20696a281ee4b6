import type { Insertable } from "kysely"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import { runAsNobody } from "../concurrency/current-user.ts"
import type { Database } from "../db/database.ts"
import { isOutage } from "../db/outages.ts"
import type { UsageRow } from "../db/tables.ts"

const writeIntervalMs = 500
/** Rows per transaction. Smaller batches cost more per row; larger ones block other writers. */
const rowsPerBatch = 500
const maxQueued = 20_000
const taskName = "write usage records"

interface Deps {
  db: Database
  background: BackgroundTasks
}

export type UsageRecord = Insertable<UsageRow>

/**
 * Writes usage records in batches, in the background. A full queue drops new records and counts
 * them: recording usage never slows down a request.
 */
export const createRecordQueue = ({ db, background }: Deps) => {
  /** Serialized when queued: serializing hundreds of rows at once would block all requests. */
  let queue: string[] = []
  let droppedCount = 0
  let writing: Promise<void> | undefined

  /** Splits a failing batch, so that a record the database rejects does not block the others. */
  const writeOrSplit = async (rows: readonly string[]): Promise<void> => {
    try {
      // A batch whose outcome was lost is written again; existing ids are ignored.
      await db.append("usage", rows)
    } catch (error) {
      if (isOutage(error)) throw error
      if (rows.length === 1) {
        droppedCount++
        return
      }
      const half = Math.ceil(rows.length / 2)
      await writeOrSplit(rows.slice(0, half))
      await writeOrSplit(rows.slice(half))
    }
  }

  const writeOldest = async (count: number): Promise<void> => {
    for (let remaining = count; remaining > 0; ) {
      const rows = queue.slice(0, Math.min(remaining, rowsPerBatch))
      await writeOrSplit(rows)
      queue = queue.slice(rows.length)
      remaining -= rows.length
    }
  }

  const startWriting = (count: number): Promise<void> => {
    writing ??= runAsNobody(() => writeOldest(count)).finally(() => {
      writing = undefined
    })
    return writing
  }

  /** Writes what is queued now. Records that arrive meanwhile wait for a full batch. */
  const flush = async (): Promise<void> => {
    while (writing !== undefined) await writing
    await startWriting(queue.length)
  }
  // Rows that could not be written stay queued for the next attempt.
  const writeInBackground = (write: () => Promise<void>): Promise<boolean> =>
    background.runInBackground(taskName, write)
  const writeFullBatches = (): Promise<void> =>
    startWriting(queue.length - (queue.length % rowsPerBatch))
  background.every(writeIntervalMs, taskName, flush)

  return {
    enqueue: (row: UsageRecord): void => {
      if (queue.length >= maxQueued) droppedCount++
      else if (queue.push(JSON.stringify(row)) >= rowsPerBatch)
        void writeInBackground(writeFullBatches)
    },
    dropped: (): number => droppedCount,
    queuedCount: (): number => queue.length,
    flush,
    close: async (): Promise<void> => {
      await writeInBackground(flush)
    },
  }
}

export type RecordQueue = ReturnType<typeof createRecordQueue>
