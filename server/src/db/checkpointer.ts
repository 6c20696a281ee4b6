import type { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { z } from "zod"

const lookMs = 1000
const bytesToCheckpoint = 64 * 1024 * 1024
/** A log that grew beyond this, behind a long read, gives its space back. */
const bytesToTruncate = 256 * 1024 * 1024
/** A page of the database and what stands before it. */
const frameBytes = 4096 + 24

/** Frames in the log, and how many of them are in the database file; -1 before the first. */
const State = z.object({ log: z.int(), checkpointed: z.int() })

/**
 * Moves SQLite's write-ahead log into the database file, in a short-lived thread: left to the
 * connection that writes, it would hold up every request for as long as the disk takes. Then the log
 * starts anew in its place: the disk keeps what is written over in two thirds of the time that it
 * takes for what makes a file longer.
 * @param reader looks at the log, and writes nothing
 */
export const createCheckpointer = (path: string, reader: DatabaseSync) => {
  const state = reader.prepare("pragma wal_checkpoint(noop)")
  let running: Worker | undefined

  /** A disk that fails is told of by who reads or writes on it; here it must end nothing. */
  const stateNow = (): z.output<typeof State> | null => {
    try {
      return State.parse(state.get())
    } catch {
      return null
    }
  }

  const look = (): void => {
    const now = stateNow()
    if (!now || running) return
    const { log, checkpointed } = now
    if ((log - checkpointed) * frameBytes < bytesToCheckpoint) return
    const ending = log * frameBytes < bytesToTruncate ? "restart" : "truncate"
    const worker = new Worker(new URL("./checkpoint.ts", import.meta.url), {
      workerData: { path, ending },
    })
    running = worker
    // One that fails is followed by the next; the log only grows meanwhile.
    worker.on("error", () => {})
    worker.once("exit", () => {
      running = undefined
    })
    worker.unref()
  }

  const timer = setInterval(look, lookMs).unref()
  return {
    close: async (): Promise<void> => {
      clearInterval(timer)
      await running?.terminate()
    },
  }
}
