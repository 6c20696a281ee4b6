import { type EventLoopShare, turnCosts } from "../concurrency/fair-event-loop.ts"

/** Charges the chunks of a response to its caller's share of the event loop, and pauses it while that is used up. */
export class ChunkPacing {
  readonly #share: EventLoopShare
  readonly #continue: () => void
  #hasStarted = false
  /** The next chunk must wait for the share. */
  #isWaiting = false
  /** The consumer can take the next chunk. */
  #isReady = true

  /** @param onContinue continues the response after a pause */
  constructor(share: EventLoopShare, onContinue: () => void) {
    this.#share = share
    this.#continue = onContinue
  }

  /**
   * Call after each chunk.
   * @param isReady whether the consumer can take the next one; if not, it calls `resume`
   * @returns whether the next one may follow immediately
   */
  pass(isReady: boolean): boolean {
    // Most responses have one chunk, which the request's own share covers.
    const isFirst = !this.#hasStarted
    this.#hasStarted = true
    if (isFirst || this.#share.take(turnCosts.chunk)) return isReady
    this.#isReady = isReady
    if (this.#isWaiting) return false
    this.#isWaiting = true
    this.#share.wait(turnCosts.chunk, () => {
      this.#isWaiting = false
      if (this.#isReady) this.#continue()
    })
    return false
  }

  /** The consumer can take the next chunk. */
  resume(): void {
    this.#isReady = true
    if (!this.#isWaiting) this.#continue()
  }
}
