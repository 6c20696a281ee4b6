import { createWorkerClient } from "../background/worker-client.ts"

export interface AppendBatch {
  table: string
  /** JSON array of objects that all have the same keys, including `id`. */
  rows: string
}

const emptyBatch: AppendBatch = { table: "", rows: "[]" }

/**
 * Inserts rows into the embedded database on a worker thread with its own connection. A hundred
 * rows take SQLite about a millisecond, which would block every request if run on the event loop.
 */
export const createAppender = (path: string) => {
  const thread = createWorkerClient<AppendBatch, null>(
    new URL("./append-worker.ts", import.meta.url),
    { path },
  )
  let isReady = false
  return {
    /** Resolves once the thread has started; only the first call waits. */
    ready: async (): Promise<void> => {
      if (!isReady) await thread.request(emptyBatch)
      isReady = true
    },

    /**
     * Inserts a batch in one transaction; batches run sequentially.
     * @throws the database's error
     */
    append: async (batch: AppendBatch): Promise<void> => {
      await thread.request(batch)
    },

    close: thread.close,
  }
}
