import { stat } from "node:fs/promises"
import type { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { z } from "zod"
import { freeBytes } from "./disk-space.ts"

const lookMs = 1000
/** Used when the free space could be filled before the next regular check. */
const lookAtSmallMs = 50
const bytesWhereSmall = 128 * 1024 * 1024
const bytesToCheckpoint = 64 * 1024 * 1024
/** A log this large, typically after a long read, is truncated. */
const bytesToTruncate = 256 * 1024 * 1024
/** On a nearly full disk, the log size from which it is truncated. */
const bytesWhereTight = 512 * 1024
/** Delay before retrying a checkpoint that failed on a nearly full disk. */
const tryAgainMs = 5000
/** A database page and its frame header. */
const frameBytes = 4096 + 24

/** Frames in the log, and how many of them were moved to the database file; -1 before the first. */
const State = z.object({ log: z.int(), checkpointed: z.int() })
type Ending = "restart" | "truncate"

/**
 * Checkpoints SQLite's write-ahead log on a short-lived thread; on the writing connection, a
 * checkpoint would block every request until the disk is done. Afterwards SQLite overwrites the log
 * from its start: syncing overwritten blocks takes two thirds of the time of syncing a file that
 * grows. When space is short, it checkpoints earlier, while the database file can still grow, and
 * truncates the log.
 * @param reader used to inspect the log; never written to
 */
export const createCheckpointer = (path: string, reader: DatabaseSync) => {
  const state = reader.prepare("pragma wal_checkpoint(noop)")
  let running: { worker: Worker; ended: Promise<boolean> } | undefined

  /**
   * Disk errors are reported by the reads and writes they affect; they must not crash the process
   * here.
   */
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
      // A failed checkpoint is retried at the next check; until then the log only grows.
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

  /** The log size at the last failed truncation on a nearly full disk, and when that was. */
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

  /** @returns ms until the next check */
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
     * Checkpoints the whole log now and truncates it.
     * @returns whether everything is in the database file and flushed to disk
     */
    emptyLog: async (): Promise<boolean> => {
      // A run in progress may have started before the last commit.
      await emptying
      return startEmptying()
    },

    /** Truncates the log to free its space; joins a run in progress. */
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
