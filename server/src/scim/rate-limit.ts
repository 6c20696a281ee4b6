import { stripTrailingSlashes } from "../config/strip-trailing-slashes.ts"
import { fail } from "../errors.ts"
import { networkOf } from "../http/client-address.ts"
import { type IncomingHead, pathOf } from "../http/request-context.ts"

const minuteMs = 60_000
/** Failed authentications per address and minute; further ones get 429. */
const maxRefusalsPerAddress = 30
const maxAddresses = 10_000

interface Bucket {
  tokens: number
  at: number
}

/** Token buckets with a capacity of `perMinute`, refilled continuously. */
const createTokenBuckets = (perMinute: number, nowMs: () => number) => {
  const bucketByKey = new Map<string, Bucket>()
  const refilled = (key: string): Bucket => {
    const at = nowMs()
    const known = bucketByKey.get(key)
    if (!known) return { tokens: perMinute, at }
    return {
      tokens: Math.min(perMinute, known.tokens + ((at - known.at) * perMinute) / minuteMs),
      at,
    }
  }
  return {
    /** @throws {Failure} `rate_limited` with `retry-after` */
    take: (key: string): void => {
      const bucket = refilled(key)
      if (bucket.tokens < 1) {
        const seconds = Math.max(1, Math.ceil(((1 - bucket.tokens) * 60) / perMinute))
        fail(
          "rate_limited",
          `Too many requests (maximum ${perMinute} per minute). Try again in ${seconds} seconds.`,
          {
            headers: { "retry-after": String(seconds) },
          },
        )
      }
      bucket.tokens--
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
const isRead = ({ method = "", url = "" }: IncomingHead): boolean =>
  reads.has(method) || stripTrailingSlashes(pathOf(url)).endsWith("/.search")

export interface ScimRates {
  writes: number
  reads: number
}

/**
 * Rate limits for the identity provider (null for unlimited) and for failed authentications per
 * address.
 */
export const createRateLimit = (
  rates: ScimRates | null,
  { nowMs = () => performance.now() }: { nowMs?: () => number } = {},
) => {
  const readBuckets = rates && createTokenBuckets(rates.reads, nowMs)
  const writeBuckets = rates && createTokenBuckets(rates.writes, nowMs)
  const refusalBuckets = createTokenBuckets(maxRefusalsPerAddress, nowMs)
  return {
    /** @throws {Failure} `rate_limited` */
    admit: (incoming: IncomingHead): void =>
      (isRead(incoming) ? readBuckets : writeBuckets)?.take("all"),
    /** @throws {Failure} `rate_limited` after too many failures from this address */
    recordRefusal: (address: string): void => refusalBuckets.take(networkOf(address)),
  }
}
