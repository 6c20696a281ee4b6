/** Makes deterministic random choices (mulberry32). */
export const createChooser = (seed: number) => {
  let state = seed
  /** A number in [0, 1). */
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** An integer from 0 to below `bound`. */
  const below = (bound: number): number => Math.floor(random() * bound)

  return {
    below,
    /** True with the given probability. */
    chance: (probability: number): boolean => random() < probability,
    /** @throws if there are no items */
    pick: <T>(items: readonly T[]): T => {
      if (items.length === 0) throw new Error("nothing to pick from")
      return items[below(items.length)] as T
    },
  }
}

export type Chooser = ReturnType<typeof createChooser>
