/** What waits for others to go with it waits no longer, however busy the thread is. */
const maxMs = 2

/**
 * Gathers what is sent to another thread: each message costs both as much as many together. They go
 * when the thread has done what it is at.
 */
export const createOutbox = <T>(send: (all: T[]) => void) => {
  let waiting: T[] = []
  let since = 0
  let sentAt = 0
  let planned = false
  let later: NodeJS.Timeout | undefined

  const flush = (): void => {
    clearTimeout(later)
    later = undefined
    if (waiting.length === 0) return
    const all = waiting
    waiting = []
    sentAt = performance.now()
    send(all)
  }

  const go = (): void => {
    planned = false
    flush()
  }

  const plan = (): void => {
    if (planned) return
    planned = true
    setImmediate(go)
  }

  const add = (one: T): void => {
    if (waiting.length === 0) since = performance.now()
    waiting.push(one)
  }

  return {
    put: (one: T): void => {
      add(one)
      plan()
    },

    /** Of which there will be many: where some went just now, these wait for more. */
    putSoon: (one: T): void => {
      add(one)
      if (since - sentAt > maxMs) plan()
      else if (!planned) later ??= setTimeout(flush, maxMs)
    },

    flush,

    /** Before what may take long. */
    hurry: (now: number): void => {
      if (waiting.length > 0 && now - since >= maxMs) flush()
    },
  }
}

export type Outbox<T> = ReturnType<typeof createOutbox<T>>
