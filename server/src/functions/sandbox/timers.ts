const max = 200
const maxMs = 600_000

/** The host side of `setTimeout` in the sandbox. */
export const createTimers = (ring: (id: number) => void) => {
  const timerById = new Map<number, NodeJS.Timeout>()

  return {
    size: (): number => timerById.size,

    /**
     * @param told a timer's id and its milliseconds, separated by a space; a negative number clears
     * the timer
     * @returns the reason if the timer is rejected
     */
    set: (told: string): string | undefined => {
      const [id = Number.NaN, ms = Number.NaN] = told.split(" ").map(Number)
      clearTimeout(timerById.get(id))
      timerById.delete(id)
      if (!(ms >= 0)) return undefined
      if (timerById.size >= max) return `Too many timers (maximum ${max})`
      const over = (): void => {
        timerById.delete(id)
        ring(id)
      }
      timerById.set(id, setTimeout(over, Math.min(maxMs, ms)))
      return undefined
    },

    clear: (): void => {
      for (const timer of timerById.values()) clearTimeout(timer)
      timerById.clear()
    },
  }
}
