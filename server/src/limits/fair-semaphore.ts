interface Deps {
  maxConcurrent: number
  /** Maximum number of waiting calls, per key and in total. */
  maxWaiting: { perKey: number; total: number }
  /** Creates the error for a call that is rejected because the queue is full. */
  busy: () => Error
}

/** Origin of a call. Scheduling is round-robin among kinds, then among the keys of a kind. */
export interface UserAndNetwork {
  kind: string
  key: string
}

interface Waiting {
  start: () => void
  refuse: (error: Error) => void
}

/** Round-robin over lists by key, using the insertion order of `Map`. */
class Ring<T> {
  readonly #lists = new Map<string, T>()

  of(key: string, make: () => T): T {
    const known = this.#lists.get(key)
    if (known) return known
    const made = make()
    this.#lists.set(key, made)
    return made
  }

  get(key: string): T | undefined {
    return this.#lists.get(key)
  }

  values(): Iterable<T> {
    return this.#lists.values()
  }

  /** Passes the next list to `take`, which returns whether to keep the list. */
  next(take: (list: T) => boolean): void {
    for (const [key, list] of this.#lists) {
      this.#lists.delete(key)
      if (take(list)) this.#lists.set(key, list)
      return
    }
  }

  get isEmpty(): boolean {
    return this.#lists.size === 0
  }
}

/**
 * A semaphore whose waiting calls are served round-robin by kind and key, so that one key's many
 * calls do not delay another's few. When the queue is full, the key with the most waiting calls
 * loses its newest one.
 */
export const createFairSemaphore = ({ maxConcurrent, maxWaiting, busy }: Deps) => {
  const kinds = new Ring<Ring<Waiting[]>>()
  let running = 0
  let waiting = 0

  const longest = (): Waiting[] => {
    let found: Waiting[] = []
    for (const keys of kinds.values()) {
      for (const list of keys.values()) if (list.length > found.length) found = list
    }
    return found
  }

  /** @throws {Error} `busy` if the queue is full */
  const enqueue = ({ kind, key }: UserAndNetwork): Promise<void> => {
    const own = kinds.get(kind)?.get(key)?.length ?? 0
    if (own >= maxWaiting.perKey) throw busy()
    if (waiting >= maxWaiting.total) {
      const max = longest()
      if (own + 1 >= max.length) throw busy()
      waiting--
      max.pop()?.refuse(busy())
    }
    waiting++
    return new Promise((start, refuse) => {
      const list = kinds.of(kind, () => new Ring()).of(key, () => [])
      list.push({ start, refuse })
    })
  }

  const startNext = (): void => {
    kinds.next((keys) => {
      keys.next((list) => {
        waiting--
        list.shift()?.start()
        return list.length > 0
      })
      return !keys.isEmpty
    })
  }

  return {
    /** Runs `work`, after waiting if necessary. @throws {Error} `busy` if the queue is full */
    run: async <T>(origin: UserAndNetwork, work: () => Promise<T>): Promise<T> => {
      if (running >= maxConcurrent) await enqueue(origin)
      else running++
      try {
        return await work()
      } finally {
        // `running` is unchanged if the slot passes to a waiting call.
        if (waiting > 0) startNext()
        else running--
      }
    },

    isIdle: (): boolean => running === 0,
  }
}

export type FairSemaphore = ReturnType<typeof createFairSemaphore>
