import { setTimeout as sleep } from "node:timers/promises"
import { createSemaphore } from "../concurrency/semaphore.ts"
import { Failure, fail } from "../errors.ts"
import { networkOf } from "../http/client-address.ts"
import { translatable } from "../i18n/message.ts"

const windowMs = 15 * 60_000
/** Failures of one address for one account before it has to wait. */
const freeAttemptsPerPair = 5
/** Failures of one address for any account before it has to wait. */
const freeAttemptsPerAddress = 30
/** Failures for one account from anywhere before attempts are delayed, but never rejected. */
const freeAttemptsPerAccount = 20
const accountDelayMs = 2000
const firstWaitMs = 5000
const maxWaitMs = 5 * 60_000
const maxEntries = 50_000
/** Concurrent attempts per address; at most this many can bypass its failure count. */
const maxConcurrentPerAddress = 2
const maxWaitingPerAddress = 200
const maxWaitingPerPair = 100

interface FailureCount {
  count: number
  last: number
}

export const signInsBusyFailure = (): Failure =>
  new Failure("rate_limited", translatable("sign_in_busy"), { headers: { "retry-after": "5" } })

/**
 * Slows down password guessing. An address that keeps failing has to wait; an account attacked from
 * many addresses responds slowly, but its owner can still sign in.
 */
export const createSignInThrottle = ({
  // Monotonic: a clock set back would extend every wait.
  nowMs = () => performance.now(),
}: {
  nowMs?: () => number
} = {}) => {
  const failuresByKey = new Map<string, FailureCount>()
  const semaphore = createSemaphore({
    maxConcurrent: maxConcurrentPerAddress,
    queue: {
      maxWaiting: maxWaitingPerAddress,
      maxWaitingPerKey: maxWaitingPerPair,
      createBusyError: signInsBusyFailure,
    },
  })

  const recentFailures = (key: string): FailureCount => {
    const known = failuresByKey.get(key)
    return known && nowMs() - known.last < windowMs ? known : { count: 0, last: 0 }
  }

  const recordFailure = (key: string): void => {
    const { count } = recentFailures(key)
    failuresByKey.delete(key)
    if (failuresByKey.size >= maxEntries) {
      const oldest = failuresByKey.keys().next()
      if (!oldest.done) failuresByKey.delete(oldest.value)
    }
    failuresByKey.set(key, { count: count + 1, last: nowMs() })
  }

  const failIfBlocked = (key: string, freeAttempts: number): void => {
    const { count, last } = recentFailures(key)
    if (count < freeAttempts) return
    const waitMs = Math.min(firstWaitMs * 2 ** (count - freeAttempts), maxWaitMs)
    const remainingMs = last + waitMs - nowMs()
    if (remainingMs <= 0) return
    const seconds = Math.ceil(remainingMs / 1000)
    fail("rate_limited", translatable("sign_in_attempts_exceeded", { seconds }), {
      headers: { "retry-after": String(seconds) },
    })
  }

  const keysOf = (account: string, network: string) => ({
    pair: `pair ${network} ${account}`,
    address: `address ${network}`,
    account: `account ${account}`,
  })

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
      const network = networkOf(address)
      const keys = keysOf(account, network)
      if (recentFailures(keys.account).count >= freeAttemptsPerAccount) await sleep(accountDelayMs)
      return semaphore.run({ pool: network, key: account }, async () => {
        failIfBlocked(keys.pair, freeAttemptsPerPair)
        failIfBlocked(keys.address, freeAttemptsPerAddress)
        const isCorrect = await check()
        // The owner signed in, so the failures from this address are cleared.
        if (isCorrect) failuresByKey.delete(keys.pair)
        else for (const key of Object.values(keys)) recordFailure(key)
        return isCorrect
      })
    },
  }
}

export type SignInThrottle = ReturnType<typeof createSignInThrottle>
