const jumpMs = 60_000
/** Less than the hour between two sweeps, so that the one after next believes it. */
const doubtMs = 50 * 60_000

/**
 * Whether the clock has gone on evenly for an hour. What is deleted for its age stays until then: a
 * clock that is set wrong by a year, and right again soon, must not cost a year's records.
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
