const maxDelayMs = 60_000
/** Random factor applied to the delay. */
const jitter = { min: 0.75, max: 1.25 }

/** Doubles with each attempt, which count from 1. */
export const retryDelayMs = (firstDelayMs: number, attempt: number): number =>
  Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)) *
  (jitter.min + Math.random() * (jitter.max - jitter.min))

export const maxRetryDelayMs = maxDelayMs * jitter.max
