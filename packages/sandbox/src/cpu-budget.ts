/** CPU time of the current thread in milliseconds. */
const currentThreadCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Limits the CPU time of a piece of code. The clock is only a first check: on a busy machine wall
 * time passes without the thread running, so CPU time decides.
 */
export class CpuBudget {
  #computedAt = 0
  #allowedMs = 0
  #deadline = Number.POSITIVE_INFINITY

  /** Starts a new budget of `ms` milliseconds now. */
  restart(ms: number): void {
    this.#allowedMs = ms
    this.#computedAt = currentThreadCpuMs()
    this.#deadline = performance.now() + ms
  }

  usedMs(): number {
    return currentThreadCpuMs() - this.#computedAt
  }

  /** @param onExtended called when wall time is up but CPU time remains */
  isExhausted(onExtended: () => void): boolean {
    if (performance.now() <= this.#deadline) return false
    const remainingMs = this.#allowedMs - this.usedMs()
    if (remainingMs < 1) return true
    this.#deadline = performance.now() + remainingMs
    onExtended()
    return false
  }
}
