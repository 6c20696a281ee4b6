/** Deterministic random numbers in [0, 1): a multiplicative congruential generator (MINSTD). */
export const createRandom = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
