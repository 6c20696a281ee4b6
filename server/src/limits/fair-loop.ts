/** Per window of this length, a user may spend `burst` cost units without waiting. */
const windowMs = 2
const burst = 12
/**
 * Cost of the waiting work that one event loop iteration may start. Halved after an iteration
 * longer than `longTurnMs`, and raised by 1 after each shorter one.
 */
const maxPerTurn = 8
const longTurnMs = 0.5
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
  messagePage: 40,
  conversion: 250,
} as const

interface Waiting {
  go: () => void
  cost: number
  next: Waiting | null
}

interface Contention {
  /** Records which user is working. @returns whether another user was active recently */
  note(share: EventLoopShare, now: number): boolean
  enlist(share: EventLoopShare): void
}

/** One user's share of the event loop, with a queue of waiting work. */
export class EventLoopShare {
  readonly #contention: Contention
  #windowEnds = 0
  #taken = 0
  /** Whether the share is in the round-robin ring. */
  #isListed = false
  #first: Waiting | null = null
  #last: Waiting | null = null

  constructor(contention: Contention) {
    this.#contention = contention
  }

  get isIdle(): boolean {
    return this.#first === null && performance.now() > this.#windowEnds
  }

  /** Starts work immediately if allowed. @returns false if the work has to `wait` */
  take(cost: number): boolean {
    const now = performance.now()
    const contended = this.#contention.note(this, now)
    if (this.#first) return false
    if (now > this.#windowEnds) {
      this.#windowEnds = now + windowMs
      this.#taken = 0
    }
    this.#taken += cost
    return this.#taken <= burst || !contended
  }

  /** Queues work behind this user's other work. `go` must not throw. */
  wait(cost: number, go: () => void): void {
    const waiting = { go, cost, next: null }
    if (this.#last) this.#last.next = waiting
    else this.#first = waiting
    this.#last = waiting
    if (this.#isListed) return
    this.#isListed = true
    this.#contention.enlist(this)
  }

  /** @returns null if the work may start immediately, else a promise for its turn */
  turn(cost: number): Promise<void> | null {
    if (this.take(cost)) return null
    return new Promise((resolve) => this.wait(cost, resolve))
  }

  /** Runs the oldest waiting work. @returns its cost, 0 if there is none */
  advance(): number {
    const waiting = this.#first
    if (!waiting) return 0
    this.#first = waiting.next
    if (!waiting.next) this.#last = null
    waiting.go()
    return waiting.cost
  }

  /** @returns whether more work is waiting, so that the share stays in the ring */
  stay(): boolean {
    this.#isListed = this.#first !== null
    return this.#isListed
  }
}

/**
 * Shares the event loop among users. Work within a user's burst starts immediately. The rest is
 * queued and served round-robin, with a bounded amount per event loop iteration so that new I/O is
 * handled promptly. A single active user never waits.
 */
export const createFairEventLoop = () => {
  const shares = new Map<string, EventLoopShare>()
  let ring: EventLoopShare[] = []
  let current: EventLoopShare | null = null
  let contendedUntil = 0
  let perTurn = maxPerTurn
  let drainedAt = 0

  /** @returns the cost that this event loop iteration may start; unlimited without contention */
  const allowance = (): number => {
    const now = performance.now()
    const wasLong = now - drainedAt > longTurnMs
    perTurn = wasLong ? Math.max(1, perTurn / 2) : Math.min(maxPerTurn, perTurn + 1)
    drainedAt = now
    return now > contendedUntil ? Number.POSITIVE_INFINITY : perTurn
  }

  const drain = (): void => {
    let taken = 0
    for (let left = allowance(); left > 0 && taken < ring.length; taken++) {
      const share = ring[taken]
      left -= share?.advance() ?? 0
      if (share?.stay()) ring.push(share)
    }
    ring = ring.slice(taken)
    if (ring.length > 0) setImmediate(drain)
  }

  const contention: Contention = {
    note: (share, now) => {
      if (share !== current) {
        if (current) contendedUntil = now + contendedMs
        current = share
      }
      return now < contendedUntil
    },
    enlist: (share) => {
      if (ring.push(share) === 1) setImmediate(drain)
    },
  }

  const forgetIdle = (): void => {
    for (const [key, share] of shares) if (share.isIdle) shares.delete(key)
  }

  return {
    /** @param key the user's id, or the client address before authentication */
    of: (key: string): EventLoopShare => {
      const known = shares.get(key)
      if (known) return known
      if (shares.size >= maxShares) forgetIdle()
      const share = new EventLoopShare(contention)
      shares.set(key, share)
      return share
    },
  }
}

export type FairEventLoop = ReturnType<typeof createFairEventLoop>
