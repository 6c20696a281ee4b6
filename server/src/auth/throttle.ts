import { setTimeout as sleep } from "node:timers/promises"
import { fail } from "../errors.ts"
import { networkOf } from "../http/client-address.ts"
import { createFairSemaphore, type FairSemaphore } from "../limits/fair-semaphore.ts"
import { signInsBusy } from "./sign-in-busy.ts"

const windowMs = 15 * 60_000
/** Failures from one address for one account, then a wait. */
const freeTriesPerPair = 5
/** Failures from one address for any account, then a wait. */
const freeTriesPerAddress = 30
/** Failures for one account from anywhere; beyond, each try is slowed but never refused. */
const freeTriesPerAccount = 20
const accountDelayMs = 2000
const firstWaitMs = 5000
const maxWaitMs = 5 * 60_000
const maxEntries = 50_000
/** Attempts of one address at once: as many guesses at the most can slip past its count. */
const atOncePerAddress = 2
const maxWaitingPerAddress = 200
const maxWaitingPerPair = 100

interface Failures {
  count: number
  last: number
}

/**
 * Slows guessing. An address that keeps failing has to wait; an account that is attacked from many
 * addresses answers slowly, but its owner still gets in.
 */
export const createThrottle = ({
  // A clock that is set back would make everybody wait for as long.
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
    fail("rate_limited", `Too many failed attempts; try again in ${seconds} seconds`, {
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
     * Runs a check of credentials, which answers whether they were right. Attempts of one address
     * run in turn, so that many sent at once are counted like many sent one by one.
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
          // The owner got in: what was counted against them here is forgotten.
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
