import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import type { Database, Tx } from "../db/database.ts"
import { secondsPerHour } from "./sum-columns.ts"

const maxDeleted = 500

/** Deletes the earliest records before a time. @returns how many */
const deleteEarliest = async (tx: Tx, before: number): Promise<number> => {
  const rows = await tx
    .selectFrom("usage")
    .select("id")
    .where("at", "<", before)
    .orderBy("at")
    .limit(maxDeleted)
    .execute()
  if (rows.length === 0) return 0
  const ids = rows.map(({ id }) => id)
  await tx.deleteFrom("usage").where("id", "in", ids).execute()
  return rows.length
}

/**
 * Deletes the records of whole hours before a time; a trigger keeps their sums. In batches: deleting
 * a year's records in one transaction would block other writers.
 */
export const createRecordDeletion =
  ({ essential }: Pick<Database, "essential">) =>
  async (before: number, signal?: AbortSignal): Promise<void> => {
    const firstKept = Math.floor(before / secondsPerHour) * secondsPerHour
    while (!signal?.aborted) {
      if ((await essential.transact((tx) => deleteEarliest(tx, firstKept))) === 0) return
      await yieldToEventLoop()
    }
  }
