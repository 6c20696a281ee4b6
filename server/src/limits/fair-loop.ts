/** Within so long a user may take `burst` at once. */
const windowMs = 2
const burst = 12
/**
 * What may be taken up in one turn of the event loop of all that waits: less where turns take longer
 * than they should, and then more again bit by bit.
 */
const maxPerTurn = 8
const longTurnMs = 0.5
/** How long another user counts as there: turns cost one who keeps the gateway busy some of its speed. */
const contendedMs = 2000
const maxShares = 10_000

/** What pieces of work cost on the event loop, beside each other: about 20 µs each. */
export const turnCosts = {
  request: 4,
  chunk: 1,
  upload: 8,
  passages: 8,
  fusion: 20,
  messagePage: 40,
} as const

interface Waiting {
  go: () => void
  cost: number
  next: Waiting | null
}

interface Contention {
  /** Notes who works; @returns whether another user was there of late */
  note(share: EventLoopShare, now: number): boolean
  enlist(share: EventLoopShare): void
}

/** What one user takes of the event loop. */
export class EventLoopShare {
  readonly #contention: Contention
  #windowEnds = 0
  #taken = 0
  /** Whether it is in the ring. */
  #isListed = false
  #first: Waiting | null = null
  #last: Waiting | null = null

  constructor(contention: Contention) {
    this.#contention = contention
  }

  get isIdle(): boolean {
    return this.#first === null && performance.now() > this.#windowEnds
  }

  /** Takes a piece of work up, unless others come first; then it has to wait for its `turn`. */
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

  /** Calls back when it is this user's turn; `go` must not throw. */
  wait(cost: number, go: () => void): void {
    const waiting = { go, cost, next: null }
    if (this.#last) this.#last.next = waiting
    else this.#first = waiting
    this.#last = waiting
    if (this.#isListed) return
    this.#isListed = true
    this.#contention.enlist(this)
  }

  /** @returns null where it may go on at once */
  turn(cost: number): Promise<void> | null {
    if (this.take(cost)) return null
    return new Promise((resolve) => this.wait(cost, resolve))
  }

  /** Has the piece done that waits longest. @returns what it cost */
  advance(): number {
    const waiting = this.#first
    if (!waiting) return 0
    this.#first = waiting.next
    if (!waiting.next) this.#last = null
    waiting.go()
    return waiting.cost
  }

  /** @returns whether it stays in the ring */
  stay(): boolean {
    this.#isListed = this.#first !== null
    return this.#isListed
  }
}

/**
 * Shares the event loop among users. Whoever asks for little goes on at once. Of those who ask for
 * more than their burst each is given a piece in turn (round robin), and a turn of the loop takes up
 * only so much of it: what comes in meanwhile is seen soon. A user who is alone never waits.
 */
export const createFairEventLoop = () => {
  const shares = new Map<string, EventLoopShare>()
  let ring: EventLoopShare[] = []
  let current: EventLoopShare | null = null
  let contendedUntil = 0
  let perTurn = maxPerTurn
  let drainedAt = 0

  /** @returns what this turn of the loop may take up; all of it where nobody else is there */
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
    /** @param key a user's id, or the address of who is nobody yet */
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
