/** What waits for others to go with it waits no longer, however busy the thread is. */
const longestMs = 1

/**
 * Gathers what is sent to another thread: each message costs both as much as many together. They go
 * when the thread has done what it is at.
 */
export const createOutbox = <T>(send: (all: T[]) => void) => {
  let waiting: T[] = []
  let since = 0
  let planned = false

  const flush = (): void => {
    if (waiting.length === 0) return
    const all = waiting
    waiting = []
    send(all)
  }

  const go = (): void => {
    planned = false
    flush()
  }

  return {
    put: (one: T): void => {
      if (waiting.length === 0) since = performance.now()
      waiting.push(one)
      if (planned) return
      planned = true
      setImmediate(go)
    },

    flush,

    /** Before what may take long. */
    hurry: (now: number): void => {
      if (waiting.length > 0 && now - since >= longestMs) flush()
    },
  }
}

export type Outbox<T> = ReturnType<typeof createOutbox<T>>
