/** A connection refused or reset says enough; slow or broken replies must repeat. */
const failuresToRest = { hard: 1, soft: 3 }
const firstPauseMs = 1000
const maxPauseMs = 30_000

interface Deps {
  /** Asks the upstream for its list of models. @returns whether it answered */
  probe: () => Promise<boolean>
}

/**
 * `half-open`: its list answers again, and one request may find out whether models do too.
 * `trial`: that request is under way.
 */
type State = "closed" | "open" | "half-open" | "trial"

/** What failed, and so what has to succeed before it is well again. */
type Cause = "list" | "request"

/**
 * Lets a failing upstream rest: others are chosen first, while probes with growing pauses find out
 * when it is back. Where requests failed, only a request can show that: who lists models may still
 * answer none. It is never shut off for those who have no other.
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
    /** Whether others are to be chosen first. */
    resting: (): boolean => state === "open" || state === "trial",
    /** Whether all that failed has succeeded since. */
    healthy: (): boolean => state === "closed",

    /** A request that uses a model is sent. @returns to be called when it ended without a verdict */
    tried: (): (() => void) => {
      if (state !== "half-open") return () => {}
      state = "trial"
      return () => {
        if (state === "trial") state = "half-open"
      }
    },

    /** A model answered a request. */
    succeeded: recover,

    /** A request failed. */
    failed: (how: keyof typeof failuresToRest): void => {
      softFailures++
      if (state !== "closed" || softFailures >= failuresToRest[how]) rest("request")
    },

    /** The list of models was read. */
    listed: (): void => {
      if (state !== "closed" && cause === "list") recover()
    },

    /** The list of models could not be read. */
    unlisted: (): void => rest("list"),

    close: (): void => {
      closed = true
      recover()
    },
  }
}
