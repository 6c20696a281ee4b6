/** Deterministic random numbers (mulberry32). */
export const createRandom = (seed: number) => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** An integer from 0 to below `bound`. */
  const below = (bound: number): number => Math.floor(next() * bound)

  return {
    below,
    /** True with the given probability. */
    chance: (probability: number): boolean => next() < probability,
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

export type Random = ReturnType<typeof createRandom>
