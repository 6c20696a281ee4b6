import { stat } from "node:fs/promises"
import type { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { z } from "zod"
import { freeBytes } from "./disk-space.ts"

const lookMs = 1000
/** Where what is free could be written full before the next look. */
const lookAtSmallMs = 50
const bytesWhereSmall = 128 * 1024 * 1024
const bytesToCheckpoint = 64 * 1024 * 1024
/** A log that grew beyond this, behind a long read, gives its space back. */
const bytesToTruncate = 256 * 1024 * 1024
/** On a disk with little left, from here on. */
const bytesWhereTight = 512 * 1024
/** A disk that left no room for the log's pages is asked again. */
const tryAgainMs = 5000
/** A page of the database and what stands before it. */
const frameBytes = 4096 + 24

/** Frames in the log, and how many of them are in the database file; -1 before the first. */
const State = z.object({ log: z.int(), checkpointed: z.int() })
type Ending = "restart" | "truncate"

/**
 * Moves SQLite's write-ahead log into the database file, in a short-lived thread: left to the
 * connection that writes, it would hold up every request for as long as the disk takes. Then the log
 * starts anew in its place: the disk keeps what is written over in two thirds of the time that it
 * takes for what makes a file longer. Where little space is left it comes sooner, while there is room
 * for the pages in the database file, and gives the log's space back.
 * @param reader looks at the log, and writes nothing
 */
export const createCheckpointer = (path: string, reader: DatabaseSync) => {
  const state = reader.prepare("pragma wal_checkpoint(noop)")
  let running: { worker: Worker; ended: Promise<boolean> } | undefined

  /** A disk that fails is told of by who reads or writes on it; here it must end nothing. */
  const stateNow = (): z.output<typeof State> | null => {
    try {
      return State.parse(state.get())
    } catch {
      return null
    }
  }

  const checkpoint = (ending: Ending, isUrgent: boolean): Promise<boolean> => {
    const worker = new Worker(new URL("./checkpoint-worker.ts", import.meta.url), {
      workerData: { path, ending, isUrgent },
    })
    const ended = new Promise<boolean>((resolve) => {
      // One that fails is followed by the next; the log only grows meanwhile.
      worker.on("error", () => {})
      worker.once("exit", (code) => {
        running = undefined
        resolve(code === 0)
      })
    })
    running = { worker, ended }
    worker.unref()
    return ended
  }

  const sizeOfLog = async (): Promise<number> => {
    const found = await stat(`${path}-wal`).catch(() => null)
    return found?.size ?? 0
  }

  /** The log that could not be made shorter on a disk with little left. */
  let stuck = { frames: -1, at: 0 }

  const checkpointTight = async (frames: number): Promise<void> => {
    const isSame = stuck.frames === frames && performance.now() - stuck.at < tryAgainMs
    if (isSame) return
    const emptied = await checkpoint("truncate", true)
    stuck = emptied ? { frames: -1, at: 0 } : { frames, at: performance.now() }
  }

  const isBusy = (): boolean => running !== undefined || emptying !== undefined

  const checkpointWhereDue = async (free: number): Promise<void> => {
    const size = await sizeOfLog()
    const now = isBusy() ? null : stateNow()
    if (!now) return
    const backlog = (now.log - now.checkpointed) * frameBytes
    if (size >= bytesWhereTight && size > free / 4) return void checkpointTight(now.log)
    if (backlog < bytesToCheckpoint) return
    void checkpoint(size >= bytesToTruncate ? "truncate" : "restart", false)
  }

  /** @returns ms until the next look */
  const look = async (): Promise<number> => {
    const free = await freeBytes(path)
    await checkpointWhereDue(free)
    return free < bytesWhereSmall ? lookAtSmallMs : lookMs
  }

  const empty = async (): Promise<boolean> => {
    await running?.ended
    const ended = checkpoint("truncate", true)
    running?.worker.ref()
    return ended
  }
  let emptying: Promise<boolean> | undefined
  const startEmptying = (): Promise<boolean> => {
    emptying = empty().finally(() => {
      emptying = undefined
    })
    return emptying
  }

  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const lookAfter = (ms: number): void => {
    if (isClosed) return
    timer = setTimeout(() => void look().then(lookAfter), ms).unref()
  }
  lookAfter(lookAtSmallMs)
  return {
    /**
     * Moves all of the log now, and gives its space back.
     * @returns whether all of it is in the database file, and on the disk
     */
    emptyLog: async (): Promise<boolean> => {
      // One under way may have begun before the last commit.
      await emptying
      return startEmptying()
    },

    /** The same for who wants the space alone: what is under way will do. */
    giveSpaceBack: async (): Promise<void> => {
      await (emptying ?? startEmptying())
    },

    close: async (): Promise<void> => {
      isClosed = true
      clearTimeout(timer)
      await running?.worker.terminate()
    },
  }
}
