/**
 * A refused or reset connection opens the breaker immediately; slow or broken responses must
 * repeat.
 */
const failuresToRest = { hard: 1, soft: 3 }
const firstPauseMs = 1000
const maxPauseMs = 30_000

interface Deps {
  /** Requests the upstream's list of models. @returns whether it responded */
  probe: () => Promise<boolean>
}

/**
 * `half-open`: the list responds again, and one request may test whether models do too. `trial`:
 * that request is in flight.
 */
type State = "closed" | "open" | "half-open" | "trial"

/** What failed, and therefore what must succeed before the breaker closes. */
type Cause = "list" | "request"

/**
 * Circuit breaker of an upstream. While it is open, other upstreams are tried first, and probes
 * with growing pauses check whether the upstream has recovered. If requests failed, only a
 * successful request closes it: an upstream that lists its models may still be unable to run them.
 * An open breaker never blocks requests that have no alternative.
 */
export const createBreaker = ({ probe }: Deps) => {
  let softFailures = 0
  let state: State = "closed"
  let cause: Cause = "list"
  let pauseMs = firstPauseMs
  let closed = false
  let timer: NodeJS.Timeout | undefined

  const recover = (): void => {
    softFailures = 0
    state = "closed"
    pauseMs = firstPauseMs
    clearTimeout(timer)
  }

  const probed = (answered: boolean): void => {
    if (state !== "open") return
    if (answered && cause === "list") recover()
    else if (answered) state = "half-open"
    else {
      pauseMs = Math.min(pauseMs * 2, maxPauseMs)
      probeLater()
    }
  }

  const probeLater = (): void => {
    clearTimeout(timer)
    timer = setTimeout(async () => probed(await probe()), pauseMs)
    timer.unref()
  }

  const rest = (why: Cause): void => {
    if (closed) return
    if (why === "request") cause = why
    if (state === "open") return
    if (state === "closed") cause = why
    else pauseMs = Math.min(pauseMs * 2, maxPauseMs)
    state = "open"
    probeLater()
  }

  return {
    /** Whether other upstreams should be tried first. */
    resting: (): boolean => state === "open" || state === "trial",
    /** Whether everything that failed has succeeded since. */
    healthy: (): boolean => state === "closed",

    /**
     * Call before sending a request that uses a model. @returns to be called if it ends without a
     * result
     */
    tried: (): (() => void) => {
      if (state !== "half-open") return () => {}
      state = "trial"
      return () => {
        if (state === "trial") state = "half-open"
      }
    },

    /** Call when a model answered a request. */
    succeeded: recover,

    /** Call when a request failed. */
    failed: (how: keyof typeof failuresToRest): void => {
      softFailures++
      if (state !== "closed" || softFailures >= failuresToRest[how]) rest("request")
    },

    /** Call when the list of models was read. */
    listed: (): void => {
      if (state !== "closed" && cause === "list") recover()
    },

    /** Call when the list of models could not be read. */
    unlisted: (): void => rest("list"),

    close: (): void => {
      closed = true
      recover()
    },
  }
}
