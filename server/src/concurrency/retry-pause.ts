interface RetryPauseOptions {
  /** Pause in ms after the first failure; it doubles with each further one. */
  minMs: number
  maxMs: number
}

/**
 * Growing pauses between attempts at something that keeps failing. A shortage passes, so nothing is
 * given up until the next start.
 */
export const createRetryPause = ({ minMs, maxMs }: RetryPauseOptions) => {
  let nextMs = minMs
  return {
    /** Call after a failure. @returns ms until the next attempt */
    next: (): number => {
      const pauseMs = nextMs
      nextMs = Math.min(maxMs, nextMs * 2)
      return pauseMs
    },
    /** Call after a success. */
    reset: (): void => {
      nextMs = minMs
    },
  }
}
