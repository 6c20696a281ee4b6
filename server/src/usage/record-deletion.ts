import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import type { Database } from "../db/database.ts"
import { secondsPerHour } from "./sum-columns.ts"
import type { UsageSumsStore } from "./sums-store.ts"

interface Deps {
  db: Pick<Database, "essential">
  store: Pick<UsageSumsStore, "deleteRecords">
}

/**
 * Deletes the records of whole hours before a time; their sums are kept. In batches: deleting a
 * year's records in one transaction would block other writers.
 */
export const createRecordDeletion =
  ({ db, store }: Deps) =>
  async (before: number, signal?: AbortSignal): Promise<void> => {
    const firstKept = Math.floor(before / secondsPerHour) * secondsPerHour
    while (!signal?.aborted) {
      if ((await store.deleteRecords(firstKept, db.essential.transact)) === 0) return
      await yieldToEventLoop()
    }
  }
