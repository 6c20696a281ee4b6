/** Deterministic random numbers in [0, 1) (mulberry32). */
export const createRandom = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Makes deterministic random choices. */
export const createChooser = (seed: number) => {
  const random = createRandom(seed)
  /** An integer from 0 to below `bound`. */
  const below = (bound: number): number => Math.floor(random() * bound)

  return {
    random,
    below,
    /** True with the given probability. */
    chance: (probability: number): boolean => random() < probability,
    /** @throws if there are no items */
    pick: <T>(items: readonly T[]): T => {
      if (items.length === 0) throw new Error("nothing to pick from")
      return items[below(items.length)] as T
    },
    /** Lower-case letters. */
    word: (length: number): string =>
      Array.from({ length }, () => String.fromCharCode(97 + below(26))).join(""),
  }
}

export type Chooser = ReturnType<typeof createChooser>
