const maxTimers = 200
const maxDelayMs = 600_000

/** The host side of `setTimeout` in the sandbox. */
export class SandboxTimers {
  readonly #onFire: (id: number) => void
  readonly #timerById = new Map<number, NodeJS.Timeout>()

  constructor(onFire: (id: number) => void) {
    this.#onFire = onFire
  }

  get count(): number {
    return this.#timerById.size
  }

  /**
   * @param message a timer's id and its milliseconds, separated by a space; a negative number clears
   *   the timer
   * @returns the reason if the timer is rejected
   */
  set(message: string): string | undefined {
    const [id = Number.NaN, ms = Number.NaN] = message.split(" ").map(Number)
    clearTimeout(this.#timerById.get(id))
    this.#timerById.delete(id)
    if (!(ms >= 0)) return undefined
    if (this.count >= maxTimers) return `Too many timers (maximum ${maxTimers})`
    const fire = (): void => {
      this.#timerById.delete(id)
      this.#onFire(id)
    }
    this.#timerById.set(id, setTimeout(fire, Math.min(maxDelayMs, ms)))
    return undefined
  }

  clear(): void {
    for (const timer of this.#timerById.values()) clearTimeout(timer)
    this.#timerById.clear()
  }
}
