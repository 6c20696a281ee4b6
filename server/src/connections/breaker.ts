/** A connection refused or reset says enough; slow or broken replies must repeat. */
const failuresToRest = { hard: 1, soft: 3 }
const firstPauseMs = 1000
const longestPauseMs = 30_000

interface Needs {
  /** Asks the upstream whether it is back. */
  probe: () => Promise<boolean>
}

/**
 * Lets a failing upstream rest: others are chosen first, while probes with growing pauses find out
 * when it is back. It is never shut off for those who have no other.
 */
export const createBreaker = ({ probe }: Needs) => {
  let softFailures = 0
  let resting = false
  let pauseMs = firstPauseMs
  let closed = false
  let timer: NodeJS.Timeout | undefined

  const recover = (): void => {
    softFailures = 0
    resting = false
    pauseMs = firstPauseMs
    clearTimeout(timer)
  }

  const probeLater = (): void => {
    clearTimeout(timer)
    timer = setTimeout(async () => {
      if (await probe()) return recover()
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      if (resting) probeLater()
    }, pauseMs)
    timer.unref()
  }

  const rest = (): void => {
    if (resting || closed) return
    resting = true
    probeLater()
  }

  return {
    resting: (): boolean => resting,
    succeeded: recover,
    failed: (how: keyof typeof failuresToRest): void => {
      softFailures++
      if (softFailures >= failuresToRest[how]) rest()
    },
    close: (): void => {
      closed = true
      resting = false
      clearTimeout(timer)
    },
  }
}
