const intervalMs = 3_600_000
const defaultFirstDeletionMs = 60_000

interface Deps {
  isClockTrusted: () => boolean
  /** Deletes what has expired. */
  deleteExpired: () => Promise<void>
  /** Delay in ms before the first run. */
  firstDeletionMs?: number
}

export type ScheduledDeletionOptions = Pick<Deps, "firstDeletionMs">

/**
 * Deletes expired records every hour, while the clock can be trusted.
 * @returns a function that ends it
 */
export const scheduleDeletion = ({ isClockTrusted, deleteExpired, ...options }: Deps) => {
  // A failure is harmless: the next run deletes the records.
  const run = (): void => {
    if (isClockTrusted()) void deleteExpired().catch(() => {})
  }
  const { firstDeletionMs = defaultFirstDeletionMs } = options
  const firstTimer = setTimeout(run, firstDeletionMs).unref()
  const timer = setInterval(run, intervalMs).unref()
  return (): void => {
    clearTimeout(firstTimer)
    clearInterval(timer)
  }
}
