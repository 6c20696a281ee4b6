/** Per window of this length, a user may spend `burst` cost units without waiting. */
const windowMs = 2
const burst = 12
/**
 * Cost of the waiting work that one event loop iteration may start. Halved after an iteration
 * longer than `longTurnMs`, and raised by 1 after each shorter one.
 */
const maxPerIteration = 8
const longIterationMs = 0.5
/**
 * How long contention lasts after the active user changes. Without contention nothing is queued,
 * because queuing costs throughput.
 */
const contendedMs = 2000
const maxShares = 10_000

/** Relative CPU time of kinds of work; one unit is about 20 µs. */
export const turnCosts = {
  request: 4,
  chunk: 1,
  upload: 8,
  passages: 8,
  fusion: 20,
  versions: 50,
  messagePage: 40,
  conversion: 250,
} as const

interface WaitingWork {
  start: () => void
  cost: number
  next: WaitingWork | null
}

interface Contention {
  /** Records which user is working. @returns whether another user was active recently */
  recordActivity(share: EventLoopShare, now: number): boolean
  addToRing(share: EventLoopShare): void
}

/** One user's share of the event loop, with a queue of waiting work. */
export class EventLoopShare {
  readonly #contention: Contention
  #windowEndsAt = 0
  #spent = 0
  /** Whether the share is in the round-robin ring. */
  #isInRing = false
  #firstWaiting: WaitingWork | null = null
  #lastWaiting: WaitingWork | null = null

  constructor(contention: Contention) {
    this.#contention = contention
  }

  get isIdle(): boolean {
    return this.#firstWaiting === null && performance.now() > this.#windowEndsAt
  }

  /** Starts work immediately if allowed. @returns false if the work has to `wait` */
  take(cost: number): boolean {
    const now = performance.now()
    const contended = this.#contention.recordActivity(this, now)
    if (this.#firstWaiting) return false
    if (now > this.#windowEndsAt) {
      this.#windowEndsAt = now + windowMs
      this.#spent = 0
    }
    this.#spent += cost
    return this.#spent <= burst || !contended
  }

  /** Queues work behind this user's other work. `start` must not throw. */
  wait(cost: number, start: () => void): void {
    const waiting = { start, cost, next: null }
    if (this.#lastWaiting) this.#lastWaiting.next = waiting
    else this.#firstWaiting = waiting
    this.#lastWaiting = waiting
    if (this.#isInRing) return
    this.#isInRing = true
    this.#contention.addToRing(this)
  }

  /** @returns null if the work may start immediately, else a promise for its turn */
  turn(cost: number): Promise<void> | null {
    if (this.take(cost)) return null
    return new Promise((resolve) => this.wait(cost, resolve))
  }

  /** Runs the oldest waiting work. @returns its cost, 0 if there is none */
  runNext(): number {
    const waiting = this.#firstWaiting
    if (!waiting) return 0
    this.#firstWaiting = waiting.next
    if (!waiting.next) this.#lastWaiting = null
    waiting.start()
    return waiting.cost
  }

  /** @returns whether more work is waiting, so that the share stays in the ring */
  leaveRingIfEmpty(): boolean {
    this.#isInRing = this.#firstWaiting !== null
    return this.#isInRing
  }
}

/**
 * Shares the event loop among users. Work within a user's burst starts immediately. The rest is
 * queued and served round-robin, with a bounded amount per event loop iteration so that new I/O is
 * handled promptly. A single active user never waits.
 */
export interface FairEventLoop {
  /** @param key the user's id, or the client address before authentication */
  of(key: string): EventLoopShare
}

export const createFairEventLoop = (): FairEventLoop => {
  const shares = new Map<string, EventLoopShare>()
  let ring: EventLoopShare[] = []
  let current: EventLoopShare | null = null
  let contendedUntil = 0
  let perIteration = maxPerIteration
  let drainedAt = 0

  /** @returns the cost that this event loop iteration may start; unlimited without contention */
  const nextAllowance = (): number => {
    const now = performance.now()
    const wasLong = now - drainedAt > longIterationMs
    perIteration = wasLong
      ? Math.max(1, perIteration / 2)
      : Math.min(maxPerIteration, perIteration + 1)
    drainedAt = now
    return now > contendedUntil ? Number.POSITIVE_INFINITY : perIteration
  }

  const drain = (): void => {
    let served = 0
    for (let remaining = nextAllowance(); remaining > 0 && served < ring.length; served++) {
      const share = ring[served]
      remaining -= share?.runNext() ?? 0
      if (share?.leaveRingIfEmpty()) ring.push(share)
    }
    ring = ring.slice(served)
    if (ring.length > 0) setImmediate(drain)
  }

  const contention: Contention = {
    recordActivity: (share, now) => {
      if (share !== current) {
        if (current) contendedUntil = now + contendedMs
        current = share
      }
      return now < contendedUntil
    },
    addToRing: (share) => {
      if (ring.push(share) === 1) setImmediate(drain)
    },
  }

  const forgetIdle = (): void => {
    for (const [key, share] of shares) if (share.isIdle) shares.delete(key)
  }

  return {
    of: (key) => {
      const known = shares.get(key)
      if (known) return known
      if (shares.size >= maxShares) forgetIdle()
      const share = new EventLoopShare(contention)
      shares.set(key, share)
      return share
    },
  }
}
