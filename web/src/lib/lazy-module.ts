/** A module loaded on first use and available synchronously afterwards. */
export interface LazyModule<T> {
  /** Undefined until loaded. */
  loaded: () => T | undefined
  load: () => Promise<T>
}

export const createLazyModule = <T>(fetch: () => Promise<T>): LazyModule<T> => {
  let module: T | undefined
  let pending: Promise<T> | undefined
  const start = async (): Promise<T> => {
    try {
      module = await fetch()
      return module
    } catch (error) {
      pending = undefined
      throw error
    }
  }
  return {
    loaded: () => module,
    load: () => {
      pending ??= start()
      return pending
    },
  }
}
