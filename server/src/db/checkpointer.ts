import { stat } from "node:fs/promises"
import type { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { z } from "zod"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import { freeBytes } from "./disk-space.ts"

const checkIntervalMs = 1000
/** Used when the free space could be filled before the next regular check. */
const lowSpaceCheckIntervalMs = 50
const lowSpaceBytes = 128 * 1024 * 1024
const checkpointThresholdBytes = 64 * 1024 * 1024
/** A log this large, typically after a long read, is truncated. */
const truncateThresholdBytes = 256 * 1024 * 1024
/** On a nearly full disk, the log size from which it is truncated. */
const lowSpaceTruncateThresholdBytes = 512 * 1024
/** Delay before retrying a checkpoint that failed on a nearly full disk. */
const retryAfterMs = 5000
/** A database page and its frame header. */
const frameBytes = 4096 + 24

/** Frames in the log, and how many of them were moved to the database file; -1 before the first. */
const WalState = z.object({ log: z.int(), checkpointed: z.int() })

interface Deps {
  path: string
  /** Used to inspect the log; never written to. */
  reader: DatabaseSync
  background: BackgroundTasks
}

/** What the thread is started with. */
export interface CheckpointTask {
  path: string
  mode: "restart" | "truncate"
  /** Whether the disk is nearly full. */
  isUrgent: boolean
}

/**
 * Checkpoints SQLite's write-ahead log on a short-lived thread; on the writing connection, a
 * checkpoint would block every request until the disk is done. Afterwards SQLite overwrites the log
 * from its start: syncing overwritten blocks takes two thirds of the time of syncing a file that
 * grows. When space is short, it checkpoints earlier, while the database file can still grow, and
 * truncates the log.
 */
export const createCheckpointer = ({ path, reader, background }: Deps) => {
  const walState = reader.prepare("pragma wal_checkpoint(noop)")
  let running: { worker: Worker; ended: Promise<boolean> } | undefined

  /**
   * Disk errors are reported by the reads and writes they affect; they must not crash the process
   * here.
   */
  const readWalState = (): z.output<typeof WalState> | null => {
    try {
      return WalState.parse(walState.get())
    } catch {
      return null
    }
  }

  const checkpoint = (mode: CheckpointTask["mode"], isUrgent: boolean): Promise<boolean> => {
    const task: CheckpointTask = { path, mode, isUrgent }
    const worker = new Worker(new URL("./checkpoint-worker.ts", import.meta.url), {
      workerData: task,
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

  const walBytes = async (): Promise<number> => {
    const file = await stat(`${path}-wal`).catch(() => null)
    return file?.size ?? 0
  }

  /** The log size at the last failed truncation on a nearly full disk, and when that was. */
  let lastFailure = { frames: -1, at: 0 }

  const truncateOnLowSpace = async (frames: number): Promise<void> => {
    const isSame =
      lastFailure.frames === frames && performance.now() - lastFailure.at < retryAfterMs
    if (isSame) return
    const isTruncated = await checkpoint("truncate", true)
    lastFailure = isTruncated ? { frames: -1, at: 0 } : { frames, at: performance.now() }
  }

  const isBusy = (): boolean => running !== undefined || flushInProgress !== undefined

  const checkpointIfDue = async (free: number): Promise<void> => {
    const size = await walBytes()
    const state = isBusy() ? null : readWalState()
    if (!state) return
    const backlog = (state.log - state.checkpointed) * frameBytes
    if (size >= lowSpaceTruncateThresholdBytes && size > free / 4)
      return truncateOnLowSpace(state.log)
    if (backlog < checkpointThresholdBytes) return
    void checkpoint(size >= truncateThresholdBytes ? "truncate" : "restart", false)
  }

  /** @returns ms until the next check */
  const check = async (): Promise<number> => {
    const free = await freeBytes(path)
    await background.runInBackground("checkpoint the database", () => checkpointIfDue(free))
    return free < lowSpaceBytes ? lowSpaceCheckIntervalMs : checkIntervalMs
  }

  const checkpointAll = async (): Promise<boolean> => {
    await running?.ended
    const ended = checkpoint("truncate", true)
    running?.worker.ref()
    return ended
  }
  let flushInProgress: Promise<boolean> | undefined
  const startFlush = (): Promise<boolean> => {
    flushInProgress = checkpointAll().finally(() => {
      flushInProgress = undefined
    })
    return flushInProgress
  }

  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const scheduleCheck = (ms: number): void => {
    if (isClosed) return
    timer = setTimeout(() => void check().then(scheduleCheck), ms).unref()
  }
  scheduleCheck(lowSpaceCheckIntervalMs)
  return {
    /**
     * Checkpoints the whole log now and truncates it.
     * @returns whether everything is in the database file and flushed to disk
     */
    flushLog: async (): Promise<boolean> => {
      // A run in progress may have started before the last commit.
      await flushInProgress
      return startFlush()
    },

    /** Truncates the log to free its space; joins a run in progress. */
    truncateLog: async (): Promise<void> => {
      await (flushInProgress ?? startFlush())
    },

    close: async (): Promise<void> => {
      isClosed = true
      clearTimeout(timer)
      await running?.worker.terminate()
    },
  }
}
