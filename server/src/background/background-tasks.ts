import { setTimeout as sleep } from "node:timers/promises"
import { runAsNobody } from "../concurrency/current-user.ts"
import { toError } from "../errors.ts"

/** A task that keeps failing is logged once in this time. */
const logIntervalMs = 60_000
/** The longest that a shutdown waits for tasks that ignore `signal`. */
const maxCloseMs = 5000

export interface BackgroundTasks {
  /** Aborted when the gateway shuts down. */
  signal: AbortSignal
  /**
   * Runs work that no request fails with, on nobody's behalf. A failure is logged, at most once a
   * minute for each name, and counted.
   * @param name what the work does; one of a fixed set
   * @returns whether it succeeded; never rejects
   */
  runInBackground(name: string, work: () => unknown): Promise<boolean>
  /**
   * Runs `work` repeatedly until the shutdown, as `runInBackground` does. Skips a run while the
   * previous one is in progress.
   * @param firstAfterMs delay of an additional first run
   */
  every(
    intervalMs: number,
    name: string,
    work: () => unknown,
    options?: { firstAfterMs?: number },
  ): void
  /** Why the last run of a task failed; null if it succeeded. */
  lastError(name: string): Error | null
  /** How often each task has failed. */
  failureCounts(): ReadonlyMap<string, number>
  /** Starts no further run of `every`, and waits for all work in progress. */
  close(): Promise<void>
}

interface Deps {
  log: { error(fields: object, message: string): void }
  /** In ms. */
  steadyMs?: () => number
}

export const createBackgroundTasks = ({
  log,
  steadyMs = () => performance.now(),
}: Deps): BackgroundTasks => {
  const stopping = new AbortController()
  const { signal } = stopping
  const timers = new Set<NodeJS.Timeout>()
  const running = new Set<Promise<unknown>>()
  const failureCountByName = new Map<string, number>()
  const errorByName = new Map<string, Error>()
  const loggedByName = new Map<string, { at: number; failureCount: number }>()

  const recordFailure = (name: string, error: Error): void => {
    const failureCount = (failureCountByName.get(name) ?? 0) + 1
    failureCountByName.set(name, failureCount)
    errorByName.set(name, error)
    const logged = loggedByName.get(name)
    if (logged && steadyMs() - logged.at < logIntervalMs) return
    loggedByName.set(name, { at: steadyMs(), failureCount })
    const failures = failureCount - (logged?.failureCount ?? 0)
    log.error({ task: name, failures, err: error }, "a background task failed")
  }

  const run = async (name: string, work: () => unknown): Promise<boolean> => {
    const startedBeforeShutdown = !signal.aborted
    try {
      await work()
      errorByName.delete(name)
      return true
    } catch (error) {
      const wasInterrupted = startedBeforeShutdown && signal.aborted
      if (!wasInterrupted) recordFailure(name, toError(error))
      return false
    }
  }

  const runInBackground: BackgroundTasks["runInBackground"] = (name, work) => {
    const result = runAsNobody(() => run(name, work)).finally(() => running.delete(result))
    running.add(result)
    return result
  }

  return {
    signal,
    runInBackground,
    every: (intervalMs, name, work, { firstAfterMs } = {}) => {
      let isRunning = false
      const runUnlessRunning = async (): Promise<void> => {
        if (isRunning || signal.aborted) return
        isRunning = true
        await runInBackground(name, work)
        isRunning = false
      }
      timers.add(setInterval(runUnlessRunning, intervalMs).unref())
      if (firstAfterMs !== undefined) timers.add(setTimeout(runUnlessRunning, firstAfterMs).unref())
    },
    lastError: (name) => errorByName.get(name) ?? null,
    failureCounts: () => failureCountByName,
    close: async () => {
      stopping.abort()
      for (const timer of timers) clearTimeout(timer)
      const limit = new AbortController()
      // Keeps the process alive until then. Rejects when it is aborted below.
      const waited = sleep(maxCloseMs, undefined, { signal: limit.signal }).catch(() => {})
      await Promise.race([Promise.all(running), waited])
      limit.abort()
    },
  }
}
