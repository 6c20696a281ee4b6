import { currentUser } from "../limits/current-user.ts"
import { createKeyedMutex } from "../limits/mutex.ts"

/**
 * Runs `work` when it is the current user's turn, and while no other in this process holds one of
 * `locks`.
 */
export type TakeTurn = <T>(locks: readonly string[], work: () => Promise<T>) => Promise<T>

/**
 * Transactions wait here for their turn, before they take a connection or SQLite's writer: at most
 * one of each user, and one with each lock, proceeds at a time. Sorted, so that two with several
 * locks cannot deadlock; the user first, so that nobody waits with a lock for the same user's
 * other transactions.
 */
export const createTurns = (): TakeTurn => {
  const runByUser = createKeyedMutex()
  const runByLock = createKeyedMutex()
  return (locks, work) => {
    const ordered = [...new Set(locks)].sort()
    const locked = ordered.reduceRight((next, lock) => () => runByLock(lock, next), work)
    const user = currentUser()
    return user === undefined ? locked() : runByUser(user, locked)
  }
}

/** How many connections of a pool one user may hold at a time. */
const share = 0.4

interface Waiting {
  held: number
  /** Resolvers; those before `next` have been called. */
  queue: (() => void)[]
  next: number
}

/** Limits how many of a pool's connections each user holds. Calls without a user do not wait. */
export const createConnectionShares = (poolSize: number) => {
  const most = Math.max(1, Math.floor(poolSize * share))
  const byUser = new Map<string, Waiting>()

  const release = (user: string, waiting: Waiting) => (): void => {
    const resume = waiting.queue[waiting.next]
    if (resume) {
      waiting.next++
      resume()
      return
    }
    waiting.queue = []
    waiting.next = 0
    waiting.held--
    if (waiting.held === 0) byUser.delete(user)
  }

  return {
    /** @returns a function that gives the place back, to be called once */
    take: async (): Promise<() => void> => {
      const user = currentUser()
      if (user === undefined) return () => {}
      const waiting = byUser.get(user) ?? { held: 0, queue: [], next: 0 }
      byUser.set(user, waiting)
      if (waiting.held < most) waiting.held++
      else await new Promise<void>((resolve) => waiting.queue.push(resolve))
      return release(user, waiting)
    },
  }
}

export type ConnectionShares = ReturnType<typeof createConnectionShares>
