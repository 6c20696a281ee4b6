import { createRetryPause } from "../concurrency/retry-pause.ts"

/**
 * A refused or reset connection opens the breaker immediately; slow or broken responses must
 * repeat.
 */
const failuresToOpen = { hard: 1, soft: 3 }
const pauseBounds = { minMs: 1000, maxMs: 30_000 }

interface Deps {
  /** Requests the upstream's list of models. @returns whether it responded */
  probe: () => Promise<boolean>
}

/**
 * `half-open`: the list responds again, and one request may test whether models do too. `trial`:
 * that request is in flight.
 */
type BreakerState = "closed" | "open" | "half-open" | "trial"

/** What failed, and therefore what must succeed before the breaker closes. */
type FailureCause = "list" | "request"

/**
 * Circuit breaker of an upstream. While it is open, other upstreams are tried first, and probes
 * with growing pauses check whether the upstream has recovered. If requests failed, only a
 * successful request closes it: an upstream that lists its models may still be unable to run them.
 * An open breaker never blocks requests that have no alternative.
 */
export const createCircuitBreaker = ({ probe }: Deps) => {
  let softFailures = 0
  let state: BreakerState = "closed"
  let cause: FailureCause = "list"
  const pause = createRetryPause(pauseBounds)
  let isDisposed = false
  let timer: NodeJS.Timeout | undefined

  const recover = (): void => {
    softFailures = 0
    state = "closed"
    pause.reset()
    clearTimeout(timer)
  }

  const applyProbe = (responded: boolean): void => {
    if (state !== "open") return
    if (responded && cause === "list") recover()
    else if (responded) state = "half-open"
    else scheduleProbe()
  }

  const scheduleProbe = (): void => {
    clearTimeout(timer)
    timer = setTimeout(async () => applyProbe(await probe()), pause.next())
    timer.unref()
  }

  const open = (reason: FailureCause): void => {
    if (isDisposed) return
    if (reason === "request") cause = reason
    if (state === "open") return
    if (state === "closed") cause = reason
    state = "open"
    scheduleProbe()
  }

  return {
    /** Whether other upstreams should be tried first. */
    isResting: (): boolean => state === "open" || state === "trial",
    /** Whether everything that failed has succeeded since. */
    isHealthy: (): boolean => state === "closed",

    /**
     * Call before sending a request that uses a model. @returns to be called if it ends without a
     * result
     */
    beginAttempt: (): (() => void) => {
      if (state !== "half-open") return () => {}
      state = "trial"
      return () => {
        if (state === "trial") state = "half-open"
      }
    },

    /** Call when a model answered a request. */
    recordSuccess: recover,

    /** Call when a request failed. */
    recordFailure: (severity: keyof typeof failuresToOpen): void => {
      softFailures++
      if (state !== "closed" || softFailures >= failuresToOpen[severity]) open("request")
    },

    /** Call when the list of models was read. */
    recordListSuccess: (): void => {
      if (state !== "closed" && cause === "list") recover()
    },

    /** Call when the list of models could not be read. */
    recordListFailure: (): void => open("list"),

    close: (): void => {
      isDisposed = true
      recover()
    },
  }
}
