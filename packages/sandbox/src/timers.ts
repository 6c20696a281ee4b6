const maxTimers = 200
const maxDelayMs = 600_000

/** The host side of `setTimeout` in the sandbox. */
export const createTimers = (ring: (id: number) => void) => {
  const timerById = new Map<number, NodeJS.Timeout>()

  return {
    size: (): number => timerById.size,

    /**
     * @param message a timer's id and its milliseconds, separated by a space; a negative number clears
     * the timer
     * @returns the reason if the timer is rejected
     */
    set: (message: string): string | undefined => {
      const [id = Number.NaN, ms = Number.NaN] = message.split(" ").map(Number)
      clearTimeout(timerById.get(id))
      timerById.delete(id)
      if (!(ms >= 0)) return undefined
      if (timerById.size >= maxTimers) return `Too many timers (maximum ${maxTimers})`
      const fire = (): void => {
        timerById.delete(id)
        ring(id)
      }
      timerById.set(id, setTimeout(fire, Math.min(maxDelayMs, ms)))
      return undefined
    },

    clear: (): void => {
      for (const timer of timerById.values()) clearTimeout(timer)
      timerById.clear()
    },
  }
}
