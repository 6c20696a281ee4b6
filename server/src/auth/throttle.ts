import { setTimeout as sleep } from "node:timers/promises"
import { fail } from "../errors.ts"

const windowMs = 15 * 60_000
/** Failures from one address for one account, then a wait. */
const freeTriesPerPair = 5
/** Failures from one address for any account, then a wait. */
const freeTriesPerAddress = 30
/** Failures for one account from anywhere; beyond, each try is slowed but never refused. */
const freeTriesPerAccount = 20
const accountDelayMs = 2000
const firstWaitMs = 5000
const longestWaitMs = 5 * 60_000
const mostKept = 50_000

interface Failures {
  count: number
  last: number
}

/**
 * Slows guessing. An address that keeps failing has to wait; an account that is attacked from many
 * addresses answers slowly, but its owner still gets in.
 */
export const createThrottle = ({ nowMs = Date.now }: { nowMs?: () => number } = {}) => {
  const failuresByKey = new Map<string, Failures>()

  const recent = (key: string): Failures => {
    const known = failuresByKey.get(key)
    return known && nowMs() - known.last < windowMs ? known : { count: 0, last: 0 }
  }

  const note = (key: string): void => {
    const { count } = recent(key)
    failuresByKey.delete(key)
    if (failuresByKey.size >= mostKept) {
      const oldest = failuresByKey.keys().next()
      if (!oldest.done) failuresByKey.delete(oldest.value)
    }
    failuresByKey.set(key, { count: count + 1, last: nowMs() })
  }

  const refuseWithin = (key: string, freeTries: number): void => {
    const { count, last } = recent(key)
    if (count < freeTries) return
    const waitMs = Math.min(firstWaitMs * 2 ** (count - freeTries), longestWaitMs)
    const leftMs = last + waitMs - nowMs()
    if (leftMs <= 0) return
    const seconds = Math.ceil(leftMs / 1000)
    fail("rate_limited", `Too many failed attempts; try again in ${seconds} seconds`, {
      headers: { "retry-after": String(seconds) },
    })
  }

  const keysOf = (account: string, address: string) => ({
    pair: `pair ${address} ${account}`,
    address: `address ${address}`,
    account: `account ${account}`,
  })

  return {
    /** @throws {Failure} `rate_limited` with `retry-after` */
    before: async (account: string, address: string): Promise<void> => {
      const keys = keysOf(account, address)
      refuseWithin(keys.pair, freeTriesPerPair)
      refuseWithin(keys.address, freeTriesPerAddress)
      if (recent(keys.account).count >= freeTriesPerAccount) await sleep(accountDelayMs)
    },

    failed: (account: string, address: string): void => {
      for (const key of Object.values(keysOf(account, address))) note(key)
    },

    /** The owner got in: what was counted against them here is forgotten. */
    succeeded: (account: string, address: string): void => {
      failuresByKey.delete(keysOf(account, address).pair)
    },
  }
}

export type Throttle = ReturnType<typeof createThrottle>
