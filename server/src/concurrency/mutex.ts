/** Mutual exclusion by key, within this process: calls with the same key run in order. */
export const createKeyedMutex = () => {
  const lastByKey = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const previous = lastByKey.get(key)
    const run = (async () => {
      // Its own caller gets its error.
      await previous?.catch(() => {})
      return work()
    })()
    lastByKey.set(key, run)
    try {
      return await run
    } finally {
      if (lastByKey.get(key) === run) lastByKey.delete(key)
    }
  }
}

/** Mutual exclusion within this process: calls run in order. */
export const createMutex = () => {
  const runByKey = createKeyedMutex()
  return <T>(work: () => Promise<T>): Promise<T> => runByKey("", work)
}
