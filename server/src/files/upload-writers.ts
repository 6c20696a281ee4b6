interface ActiveWriter {
  abortController: AbortController
  finished: Promise<void>
}

/** Lets at most one request at a time write to each resumable upload. */
export const createUploadWriters = () => {
  const writers = new Map<string, ActiveWriter>()

  return {
    isActive: (id: string): boolean => writers.has(id),

    /**
     * Aborts the upload's previous writer, which is probably stuck on a dead connection, and runs
     * `work` once it has stopped.
     */
    run: async <T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
      for (let writer = writers.get(id); writer; writer = writers.get(id)) {
        writer.abortController.abort()
        await writer.finished
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      const abortController = new AbortController()
      writers.set(id, { abortController, finished: promise })
      try {
        return await work(abortController.signal)
      } finally {
        writers.delete(id)
        resolve()
      }
    },
  }
}
