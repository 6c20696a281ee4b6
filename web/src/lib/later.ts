/** A module loaded on first use and available synchronously afterwards. */
export interface Later<T> {
  /** Undefined until loaded. */
  now: () => T | undefined
  load: () => Promise<T>
}

export const later = <T>(fetch: () => Promise<T>): Later<T> => {
  let there: T | undefined
  let coming: Promise<T> | undefined
  const begin = async (): Promise<T> => {
    try {
      there = await fetch()
      return there
    } catch (error) {
      coming = undefined
      throw error
    }
  }
  return {
    now: () => there,
    load: () => {
      coming ??= begin()
      return coming
    },
  }
}
