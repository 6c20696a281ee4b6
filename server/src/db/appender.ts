import { createThread } from "./worker-client.ts"

export interface Batch {
  table: string
  /** JSON array of objects that all have the same keys, including `id`. */
  rows: string
}

const nothing: Batch = { table: "", rows: "[]" }

/**
 * Inserts rows into the embedded database on a worker thread with its own connection. A hundred
 * rows take SQLite about a millisecond, which would block every request if run on the event loop.
 */
export const createAppender = (path: string) => {
  const thread = createThread<Batch, null>(new URL("./append-worker.ts", import.meta.url), { path })
  let listening = false
  return {
    /** Resolves once the thread has started; only the first call waits. */
    ready: async (): Promise<void> => {
      if (!listening) await thread.ask(nothing)
      listening = true
    },

    /**
     * Inserts a batch in one transaction; batches run sequentially.
     * @throws the database's error
     */
    append: async (batch: Batch): Promise<void> => {
      await thread.ask(batch)
    },

    close: thread.close,
  }
}
