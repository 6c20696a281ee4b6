import { currentUser } from "../concurrency/current-user.ts"
import { createKeyedMutex } from "../concurrency/mutex.ts"

/**
 * Runs `work` when it is the current user's turn, and while no other in this process holds one of
 * `locks`.
 */
export type RunSerialized = <T>(locks: readonly string[], work: () => Promise<T>) => Promise<T>

/**
 * Transactions wait here for their turn, before they take a connection or SQLite's writer: at most
 * one of each user, and one with each lock, proceeds at a time. Sorted, so that two with several
 * locks cannot deadlock; the user first, so that nobody waits with a lock for the same user's
 * other transactions.
 */
export const createTransactionMutex = (): RunSerialized => {
  const runByUser = createKeyedMutex()
  const runByLock = createKeyedMutex()
  return (locks, work) => {
    const ordered = [...new Set(locks)].sort()
    const runLocked = ordered.reduceRight((next, lock) => () => runByLock(lock, next), work)
    const user = currentUser()
    return user === undefined ? runLocked() : runByUser(user, runLocked)
  }
}
