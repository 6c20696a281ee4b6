/** Mutual exclusion by key, within this process: calls with the same key run in order. */
export const createKeyedMutex = () => {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key)
    const turn = (async () => {
      // Its own caller gets its error.
      await before?.catch(() => {})
      return work()
    })()
    last.set(key, turn)
    try {
      return await turn
    } finally {
      if (last.get(key) === turn) last.delete(key)
    }
  }
}

/** Mutual exclusion within this process: calls run in order. */
export const createMutex = () => {
  const runByKey = createKeyedMutex()
  return <T>(work: () => Promise<T>): Promise<T> => runByKey("", work)
}
