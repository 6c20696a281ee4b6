const jumpMs = 60_000
/** Shorter than the hour between cleanups, so that a clock jump delays only one of them. */
const doubtMs = 50 * 60_000

/**
 * Detects jumps of the wall clock by comparing it with the monotonic clock. Returns a function that
 * tells whether the last 50 minutes were free of jumps. Deletion by age waits for that: a clock
 * that is briefly wrong by a year must not delete a year's records.
 */
export const createClockWatch = ({
  wallMs = Date.now,
  steadyMs = () => performance.now(),
}: {
  wallMs?: () => number
  steadyMs?: () => number
} = {}) => {
  let offset = wallMs() - steadyMs()
  let jumpedAt = Number.NEGATIVE_INFINITY
  return (): boolean => {
    const found = wallMs() - steadyMs()
    if (Math.abs(found - offset) > jumpMs) jumpedAt = steadyMs()
    offset = found
    return steadyMs() - jumpedAt >= doubtMs
  }
}

export const isClockSteady = createClockWatch()
