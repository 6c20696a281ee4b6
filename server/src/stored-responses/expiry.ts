import { isClockSteady } from "../jobs/clock-watch.ts"
import type { StoredResponses } from "./stored-responses.ts"

const intervalMs = 3_600_000
const firstRunDelayMs = 60_000

/**
 * Deletes expired responses every hour.
 * @returns a function that ends it
 */
export const scheduleExpiry = ({
  deleteExpired,
}: Pick<StoredResponses, "deleteExpired">): (() => void) => {
  // A failure is harmless: the next run deletes the responses.
  const run = (): void => {
    if (isClockSteady()) void deleteExpired().catch(() => {})
  }
  const firstTimer = setTimeout(run, firstRunDelayMs).unref()
  const timer = setInterval(run, intervalMs).unref()
  return () => {
    clearTimeout(firstTimer)
    clearInterval(timer)
  }
}
