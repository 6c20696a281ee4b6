import { stat } from "node:fs/promises"
import { Worker } from "node:worker_threads"

const lookMs = 1000
const bytesToCheckpoint = 64 * 1024 * 1024
/** Past this the log is cut short, for which writers have to wait a moment. */
const bytesToTruncate = 256 * 1024 * 1024

/**
 * Moves SQLite's write-ahead log into the database file, in a short-lived thread: left to the
 * connection that writes, it would hold up every request for as long as the disk takes.
 */
export const createCheckpointer = (path: string) => {
  let running: Worker | undefined
  /** How long the log was at the last checkpoint; it starts anew only when writers pause. */
  let doneTo = 0

  const look = async (): Promise<void> => {
    const { size } = await stat(`${path}-wal`).catch(() => ({ size: 0 }))
    if (size < doneTo) doneTo = 0
    if (size - doneTo < bytesToCheckpoint || running) return
    doneTo = size
    const mode = size < bytesToTruncate ? "passive" : "truncate"
    const worker = new Worker(new URL("./checkpoint.ts", import.meta.url), {
      workerData: { path, mode },
    })
    running = worker
    // One that fails is followed by the next; the log only grows meanwhile.
    worker.on("error", () => {})
    worker.once("exit", () => {
      running = undefined
    })
    worker.unref()
  }

  const timer = setInterval(() => void look(), lookMs).unref()
  return {
    close: async (): Promise<void> => {
      clearInterval(timer)
      await running?.terminate()
    },
  }
}
