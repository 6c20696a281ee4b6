/** Code that is loaded when it is first wanted, and can be used at once from then on. */
export interface Later<T> {
  /** Undefined until it is there. */
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
