/** Milliseconds after which queued messages are sent even if the thread is busy. */
const maxDelayMs = 2

/**
 * Batches messages to another thread, because each `postMessage` has a high fixed cost. A batch is
 * sent when the current work of the event loop is done.
 */
export const createMessageBatch = <T>(send: (messages: T[]) => void) => {
  let waiting: T[] = []
  let waitingSince = 0
  let sentAt = 0
  let isPlanned = false
  let delayedFlush: NodeJS.Timeout | undefined

  const flush = (): void => {
    clearTimeout(delayedFlush)
    delayedFlush = undefined
    if (waiting.length === 0) return
    const all = waiting
    waiting = []
    sentAt = performance.now()
    send(all)
  }

  const flushPlanned = (): void => {
    isPlanned = false
    flush()
  }

  const planFlush = (): void => {
    if (isPlanned) return
    isPlanned = true
    setImmediate(flushPlanned)
  }

  const add = (message: T): void => {
    if (waiting.length === 0) waitingSince = performance.now()
    waiting.push(message)
  }

  return {
    post: (message: T): void => {
      add(message)
      planFlush()
    },

    /** For frequent messages: if a batch was sent recently, waits up to `maxDelayMs` for more. */
    postDelayed: (message: T): void => {
      add(message)
      if (waitingSince - sentAt > maxDelayMs) planFlush()
      else if (!isPlanned) delayedFlush ??= setTimeout(flush, maxDelayMs)
    },

    flush,

    /** Sends an overdue batch before work that may take long. */
    flushIfDue: (now: number): void => {
      if (waiting.length > 0 && now - waitingSince >= maxDelayMs) flush()
    },
  }
}

export type MessageBatch<T> = ReturnType<typeof createMessageBatch<T>>
