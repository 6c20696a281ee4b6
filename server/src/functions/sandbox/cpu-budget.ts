/** CPU time of the current thread in milliseconds. */
const computedMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Limits the CPU time of a piece of code. The clock is only a first check: on a busy machine wall
 * time passes without the thread running, so CPU time decides.
 */
export class Allowance {
  #computedAt = 0
  #allowedMs = 0
  #deadline = Number.POSITIVE_INFINITY

  /** Starts a new budget of `ms` milliseconds now. */
  allow(ms: number): void {
    this.#allowedMs = ms
    this.#computedAt = computedMs()
    this.#deadline = performance.now() + ms
  }

  usedMs(): number {
    return computedMs() - this.#computedAt
  }

  /** @param prolonged called when wall time is up but CPU time remains */
  isUsedUp(prolonged: () => void): boolean {
    if (performance.now() <= this.#deadline) return false
    const left = this.#allowedMs - this.usedMs()
    if (left < 1) return true
    this.#deadline = performance.now() + left
    prolonged()
    return false
  }
}
