/** Milliseconds after which queued messages are sent even if the thread is busy. */
const maxMs = 2

/**
 * Batches messages to another thread, because each `postMessage` has a high fixed cost. A batch is
 * sent when the current work of the event loop is done.
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

    /** For frequent messages: if a batch was sent recently, waits up to `maxMs` for more. */
    putSoon: (one: T): void => {
      add(one)
      if (since - sentAt > maxMs) plan()
      else if (!planned) later ??= setTimeout(flush, maxMs)
    },

    flush,

    /** Sends an overdue batch before work that may take long. */
    hurry: (now: number): void => {
      if (waiting.length > 0 && now - since >= maxMs) flush()
    },
  }
}

export type Outbox<T> = ReturnType<typeof createOutbox<T>>
