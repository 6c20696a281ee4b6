interface Deps {
  /** Pieces of work at once. */
  maxConcurrent: number
  /** How many may wait of one key, and in all. */
  maxWaiting: { perKey: number; total: number }
  /** What a piece that may not wait is refused with. */
  busy: () => Error
}

/** Whose work it is; kinds take turns first, and then the keys of a kind. */
export interface UserAndNetwork {
  kind: string
  key: string
}

interface Waiting {
  start: () => void
  refuse: (error: Error) => void
}

/** Lists by key; the first key is next, and goes to the end when it had its turn. */
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

  /** @param take from the next list; @returns whether any of it is left */
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
 * Bounded concurrency that many share: a few pieces of work run at once, and those that wait have
 * their turns by kind and key (round robin), so that nobody's many keep another's few waiting. Where
 * all places to wait are taken, whoever has most gives one up.
 */
export const createFairSemaphore = ({ maxConcurrent: atOnce, maxWaiting, busy }: Deps) => {
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

  /** @throws {Error} where there is no room */
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
    /** @throws {Error} `busy` when too many wait already */
    run: async <T>(origin: UserAndNetwork, work: () => Promise<T>): Promise<T> => {
      if (running >= atOnce) await enqueue(origin)
      else running++
      try {
        return await work()
      } finally {
        // The place goes on to whoever is next.
        if (waiting > 0) startNext()
        else running--
      }
    },

    isIdle: (): boolean => running === 0,
  }
}

export type FairSemaphore = ReturnType<typeof createFairSemaphore>
