/** A burst of claims does not make a few requests look like many. */
const minIntervalMs = 50
const decay = 4

/** Estimates what is reserved in a second, from what was reserved between claims. */
export const createUseEstimate = () => {
  let reserved = 0
  let perSecond = 0
  let lastMs: number | null = null
  return {
    add: (amount: number): void => {
      reserved += amount
    },
    /** Falls to 0 within seconds without requests. @param steadyMs now, in monotonic ms */
    next: (steadyMs: number): number => {
      const intervalMs = lastMs === null ? 1000 : Math.max(minIntervalMs, steadyMs - lastMs)
      lastMs = steadyMs
      const recent = Math.ceil((reserved * 1000) / intervalMs)
      perSecond = Math.max(recent, Math.floor(perSecond / decay))
      reserved = 0
      return perSecond
    },
  }
}
