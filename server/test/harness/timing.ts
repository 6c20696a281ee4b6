import { setImmediate } from "node:timers/promises"

/**
 * The upper limit for something that should happen immediately, in milliseconds: a hundred times what
 * an idle machine needs, but less than the gateway's own timeouts, so that a test fails if only a
 * timeout ended the wait.
 */
export const maxDelayMs = 4_000

/**
 * The shortest of three runs, in milliseconds: a busy machine delays some runs, a delay in the
 * gateway all of them.
 */
export const measureMinMs = async (work: () => Promise<unknown>): Promise<number> => {
  const times: number[] = []
  for (let round = 0; round < 3; round++) {
    const startedAt = performance.now()
    await work()
    times.push(performance.now() - startedAt)
  }
  return Math.min(...times)
}

/** The CPU time of this thread during `work`, in milliseconds; independent of other processes. */
export const measureCpuMs = async (work: () => unknown): Promise<number> => {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Resolves once the clock shows a later millisecond. */
export const nextMillisecond = async (): Promise<void> => {
  const start = Date.now()
  while (Date.now() === start) await setImmediate()
}

/** The time that a share of all times, from 0 to 1, does not exceed (nearest rank). */
export const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((one, other) => one - other)[Math.ceil(times.length * share) - 1] ?? 0
