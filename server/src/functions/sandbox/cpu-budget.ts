/** CPU time of this thread alone, in ms. */
const computedMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * How long may be computed. On a busy machine time passes without any computing, and that is not
 * the fault of who waits: when the time is up, what the thread computed decides.
 */
export class Allowance {
  #computedAt = 0
  #allowedMs = 0
  #deadline = Number.POSITIVE_INFINITY

  /** From now on. */
  allow(ms: number): void {
    this.#allowedMs = ms
    this.#computedAt = computedMs()
    this.#deadline = performance.now() + ms
  }

  usedMs(): number {
    return computedMs() - this.#computedAt
  }

  /** @param prolonged told when there is more, though the time is up */
  isUsedUp(prolonged: () => void): boolean {
    if (performance.now() <= this.#deadline) return false
    const left = this.#allowedMs - this.usedMs()
    if (left < 1) return true
    this.#deadline = performance.now() + left
    prolonged()
    return false
  }
}
