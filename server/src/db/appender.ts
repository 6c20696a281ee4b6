import { createThread } from "./worker-client.ts"

export interface Batch {
  table: string
  /** A JSON array of objects that all have the same columns, `id` among them. */
  rows: string
}

const nothing: Batch = { table: "", rows: "[]" }

/**
 * Adds rows to an embedded database in a thread with a connection of its own: a hundred take SQLite
 * a millisecond, which on the loop every request would wait for.
 */
export const createAppender = (path: string) => {
  const thread = createThread<Batch, null>(new URL("./append-worker.ts", import.meta.url), { path })
  let listening = false
  return {
    /** Resolves when the thread listens, which takes it a moment once. */
    ready: async (): Promise<void> => {
      if (!listening) await thread.ask(nothing)
      listening = true
    },

    /**
     * In one transaction; one batch after the other.
     * @throws what the database says
     */
    append: async (batch: Batch): Promise<void> => {
      await thread.ask(batch)
    },

    close: thread.close,
  }
}
