import { setTimeout as sleep } from "node:timers/promises"
import { fail } from "../errors.ts"
import { networkOf } from "../http/client-address.ts"
import { createFairSemaphore, type FairSemaphore } from "../limits/fair-semaphore.ts"
import { signInsBusy } from "./sign-in-busy.ts"

const windowMs = 15 * 60_000
/** Failures of one address for one account before it has to wait. */
const freeTriesPerPair = 5
/** Failures of one address for any account before it has to wait. */
const freeTriesPerAddress = 30
/** Failures for one account from anywhere before attempts are delayed, but never rejected. */
const freeTriesPerAccount = 20
const accountDelayMs = 2000
const firstWaitMs = 5000
const maxWaitMs = 5 * 60_000
const maxEntries = 50_000
/** Concurrent attempts per address; at most this many can bypass its failure count. */
const atOncePerAddress = 2
const maxWaitingPerAddress = 200
const maxWaitingPerPair = 100

interface Failures {
  count: number
  last: number
}

/**
 * Slows down password guessing. An address that keeps failing has to wait; an account attacked from
 * many addresses responds slowly, but its owner can still sign in.
 */
export const createThrottle = ({
  // Monotonic: a clock set back would extend every wait.
  nowMs = () => performance.now(),
}: {
  nowMs?: () => number
} = {}) => {
  const failuresByKey = new Map<string, Failures>()
  const semaphores = new Map<string, FairSemaphore>()

  const recent = (key: string): Failures => {
    const known = failuresByKey.get(key)
    return known && nowMs() - known.last < windowMs ? known : { count: 0, last: 0 }
  }

  const note = (key: string): void => {
    const { count } = recent(key)
    failuresByKey.delete(key)
    if (failuresByKey.size >= maxEntries) {
      const oldest = failuresByKey.keys().next()
      if (!oldest.done) failuresByKey.delete(oldest.value)
    }
    failuresByKey.set(key, { count: count + 1, last: nowMs() })
  }

  const refuseWithin = (key: string, freeTries: number): void => {
    const { count, last } = recent(key)
    if (count < freeTries) return
    const waitMs = Math.min(firstWaitMs * 2 ** (count - freeTries), maxWaitMs)
    const leftMs = last + waitMs - nowMs()
    if (leftMs <= 0) return
    const seconds = Math.ceil(leftMs / 1000)
    fail("rate_limited", `Too many failed attempts. Try again in ${seconds} seconds.`, {
      headers: { "retry-after": String(seconds) },
    })
  }

  const keysOf = (account: string, place: string) => ({
    pair: `pair ${place} ${account}`,
    address: `address ${place}`,
    account: `account ${account}`,
  })

  const semaphoreOf = (place: string): FairSemaphore => {
    const known = semaphores.get(place)
    if (known) return known
    const made = createFairSemaphore({
      atOnce: atOncePerAddress,
      maxWaiting: { perKey: maxWaitingPerPair, total: maxWaitingPerAddress },
      busy: signInsBusy,
    })
    semaphores.set(place, made)
    return made
  }

  return {
    /**
     * Runs a credential check and returns its result. Attempts of one address are queued, so that
     * concurrent attempts count like sequential ones.
     * @throws {Failure} `rate_limited` with `retry-after`
     */
    attempt: async (
      { account, address }: { account: string; address: string },
      check: () => Promise<boolean>,
    ): Promise<boolean> => {
      const place = networkOf(address)
      const keys = keysOf(account, place)
      if (recent(keys.account).count >= freeTriesPerAccount) await sleep(accountDelayMs)
      const semaphore = semaphoreOf(place)
      try {
        return await semaphore.run({ kind: "attempt", key: account }, async () => {
          refuseWithin(keys.pair, freeTriesPerPair)
          refuseWithin(keys.address, freeTriesPerAddress)
          const right = await check()
          // The owner signed in, so the failures from this address are cleared.
          if (right) failuresByKey.delete(keys.pair)
          else for (const key of Object.values(keys)) note(key)
          return right
        })
      } finally {
        if (semaphore.isIdle()) semaphores.delete(place)
      }
    },
  }
}

export type Throttle = ReturnType<typeof createThrottle>
