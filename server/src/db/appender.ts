import { Worker } from "node:worker_threads"

export interface Batch {
  table: string
  /** A JSON array of objects that all have the same columns, `id` among them. */
  rows: string
}

interface Waiting {
  resolve(): void
  reject(error: Error): void
}

const hasEnded = (): Error => new Error("the thread that adds rows has ended")

/**
 * Adds rows to an embedded database in a thread with a connection of its own: a hundred take SQLite
 * a millisecond, which on the loop every request would wait for.
 */
export const createAppender = (path: string) => {
  let worker: Worker | undefined
  let ready: Promise<void> | undefined
  let waiting: Waiting | undefined

  const answered = (failure: Error | null): void => {
    const whose = waiting
    waiting = undefined
    worker?.unref()
    if (failure) whose?.reject(failure)
    else whose?.resolve()
  }
  const answer = (): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting = { resolve, reject }
      worker?.ref()
    })

  /** Begun again by the next batch, should it end. */
  const begin = (): Promise<void> => {
    const begun = new Worker(new URL("./append.ts", import.meta.url), { workerData: { path } })
    worker = begun
    begun.on("message", answered)
    begun.on("error", answered)
    begun.on("exit", () => {
      worker = undefined
      ready = undefined
      answered(hasEnded())
    })
    return answer()
  }

  return {
    /** Resolves when the thread listens, which takes it a moment once. */
    ready: (): Promise<void> => {
      ready ??= begin()
      return ready
    },

    /**
     * In one transaction, after `ready`; one at a time.
     * @throws what the database says
     */
    append: async (batch: Batch): Promise<void> => {
      if (!worker) throw hasEnded()
      worker.postMessage(batch)
      await answer()
    },

    close: async (): Promise<void> => {
      await worker?.terminate()
    },
  }
}
