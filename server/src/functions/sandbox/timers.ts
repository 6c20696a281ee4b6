const max = 200
const maxMs = 600_000

/** What a guest's `setTimeout` stands on. */
export const createTimers = (ring: (id: number) => void) => {
  const timerById = new Map<number, NodeJS.Timeout>()

  return {
    size: (): number => timerById.size,

    /**
     * @param told an id and milliseconds; fewer than none end the timer
     * @returns why not, where it may not
     */
    set: (told: string): string | undefined => {
      const [id = Number.NaN, ms = Number.NaN] = told.split(" ").map(Number)
      clearTimeout(timerById.get(id))
      timerById.delete(id)
      if (!(ms >= 0)) return undefined
      if (timerById.size >= max) return `More than ${max} timers are not allowed`
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
