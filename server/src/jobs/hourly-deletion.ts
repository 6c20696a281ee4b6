import type { BackgroundTasks } from "../background/background-tasks.ts"

const intervalMs = 3_600_000
const defaultFirstDeletionMs = 60_000

export interface HourlyDeletionOptions {
  /** Delay in ms before the first run. */
  firstDeletionMs?: number
}

interface Deps extends HourlyDeletionOptions {
  background: BackgroundTasks
  isClockTrusted: () => boolean
}

/**
 * Deletes expired records every hour, while the clock can be trusted.
 * @param deletions what deletes them, by the name of its background task
 */
export const deleteHourly = (
  deletions: Readonly<Record<string, (signal: AbortSignal) => Promise<void>>>,
  { background, isClockTrusted, firstDeletionMs = defaultFirstDeletionMs }: Deps,
): void => {
  for (const [name, deleteExpired] of Object.entries(deletions)) {
    const deleteIfTrusted = async (): Promise<void> => {
      if (isClockTrusted()) await deleteExpired(background.signal)
    }
    background.every(intervalMs, name, deleteIfTrusted, { firstAfterMs: firstDeletionMs })
  }
}
