import { withoutTrailingSlashes } from "../config/trailing-slashes.ts"
import { fail } from "../errors.ts"
import { networkOf } from "../http/client-address.ts"
import { type Incoming, pathOf } from "../http/request-context.ts"

const minuteMs = 60_000
/** Failed authentications per address and minute; further ones get 429. */
const refusalsPerAddress = 30
const maxAddresses = 10_000

interface Bucket {
  left: number
  at: number
}

/** Token buckets with a capacity of `perMinute`, refilled continuously. */
const createBuckets = (perMinute: number, nowMs: () => number) => {
  const bucketByKey = new Map<string, Bucket>()
  const refilled = (key: string): Bucket => {
    const at = nowMs()
    const known = bucketByKey.get(key)
    if (!known) return { left: perMinute, at }
    return { left: Math.min(perMinute, known.left + ((at - known.at) * perMinute) / minuteMs), at }
  }
  return {
    /** @throws {Failure} `rate_limited` with `retry-after` */
    take: (key: string): void => {
      const bucket = refilled(key)
      if (bucket.left < 1) {
        const seconds = Math.max(1, Math.ceil(((1 - bucket.left) * 60) / perMinute))
        fail(
          "rate_limited",
          `Too many requests (maximum ${perMinute} per minute). Try again in ${seconds} seconds.`,
          {
            headers: { "retry-after": String(seconds) },
          },
        )
      }
      bucket.left--
      bucketByKey.delete(key)
      if (bucketByKey.size >= maxAddresses) {
        const oldest = bucketByKey.keys().next()
        if (!oldest.done) bucketByKey.delete(oldest.value)
      }
      bucketByKey.set(key, bucket)
    },
  }
}

const reads = new Set(["GET", "HEAD", "OPTIONS"])

/** A search by POST counts as a read. */
const isRead = ({ method = "", url = "" }: Incoming): boolean =>
  reads.has(method) || withoutTrailingSlashes(pathOf(url)).endsWith("/.search")

export interface Rates {
  writes: number
  reads: number
}

/**
 * Rate limits for the identity provider (null for unlimited) and for failed authentications per
 * address.
 */
export const createRateLimit = (
  rates: Rates | null,
  { nowMs = () => performance.now() }: { nowMs?: () => number } = {},
) => {
  const reading = rates && createBuckets(rates.reads, nowMs)
  const writing = rates && createBuckets(rates.writes, nowMs)
  const refusing = createBuckets(refusalsPerAddress, nowMs)
  return {
    /** @throws {Failure} `rate_limited` */
    admit: (incoming: Incoming): void => (isRead(incoming) ? reading : writing)?.take("all"),
    /** @throws {Failure} `rate_limited` after too many failures from this address */
    refused: (address: string): void => refusing.take(networkOf(address)),
  }
}
