import type { UserLimit } from "../concurrency/user-limit.ts"
import { fail } from "../errors.ts"
import { bodyTooLarge } from "./body-buffer.ts"
import { limitOwnerOf } from "./client-address.ts"
import { type NodeRequestContext, type RequestContext, whenClosed } from "./request-context.ts"

/** Bodies up to this size are not counted; the limit on requests bounds them. */
const smallBytes = 64 * 1024
/** A body without Content-Length is reserved in steps of this size. */
const stepBytes = 1024 * 1024
/**
 * What is read from storage is held as text, as values, and as the body to send. Measured per byte of
 * JSON, with 14 to 15 MB per request: 3.3 to 5 bytes if a request is passed on, 4.7 to 6.6 if it is
 * converted.
 */
const heldPerStoredByte = 6

type BodyReader<T> = () => T | Promise<T>

/**
 * Call before reading what a request refers to, with its size as JSON. The memory is released when the response closes.
 * @throws {Failure} `rate_limited`, or `body_too_large` if the request alone exceeds the limit
 */
export type ReserveMemory = (bytes: number) => void

/** Reserves memory for request bodies, and what they refer to, until their responses close. */
export interface BodyMemory {
  /**
   * @param maxBytes maximum size of the body, regardless of available memory
   * @throws {Failure} `body_too_large`, or `rate_limited` while not enough memory is available
   */
  reserve(context: RequestContext, maxBytes: number): void
  /** For what a request of any size refers to: stored responses, files. */
  reserverOf(context: RequestContext): ReserveMemory
  /**
   * For a response that is read from storage as a whole. One above the limit is allowed if the user has nothing
   * else in memory.
   * @throws {Failure} `rate_limited`
   */
  reserveResponse(context: RequestContext, bytes: number): void
  /** Reserves memory for a body, with or without Content-Length, and reads it. */
  read<T>(context: NodeRequestContext, maxBytes: number, read: BodyReader<T>): T | Promise<T>
  /** Like `read`, if `reserve` was already called for a body with Content-Length. */
  readReserved<T>(context: NodeRequestContext, read: BodyReader<T>): T | Promise<T>
}

export const createBodyMemory = (limit: UserLimit): BodyMemory => {
  const reserveUntilClosed = (context: RequestContext, bytes: number): void => {
    whenClosed(context.outgoing, limit.reserve(limitOwnerOf(context), bytes))
  }

  /** Reserves while reading; only Node's server accepts a body without a length. */
  const readWithoutLength = <T>(context: NodeRequestContext, read: BodyReader<T>): Promise<T> => {
    const { promise: refused, reject } = Promise.withResolvers<never>()
    let held = smallBytes
    let length = 0
    context.incoming.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length <= held) return
      held += stepBytes
      try {
        reserveUntilClosed(context, stepBytes)
      } catch (error) {
        held = Number.POSITIVE_INFINITY
        reject(error)
      }
    })
    return Promise.race([refused, read()])
  }

  const reserve = (context: RequestContext, maxBytes: number): void => {
    const length = Number(context.incoming.headers["content-length"])
    if (length > maxBytes) throw bodyTooLarge(maxBytes)
    if (length > smallBytes) reserveUntilClosed(context, length)
  }

  return {
    reserve,

    reserverOf: (context) => {
      const { outgoing } = context
      const releases: (() => void)[] = []
      let total = 0
      const releaseAll = (): void => {
        for (const release of releases) release()
      }
      return (bytes) => {
        const held = bytes * heldPerStoredByte
        total += held
        if (total > limit.maxPerUser) {
          const message = `What the request refers to is too large: it needs ${total} bytes of memory or more. One user may have ${limit.maxPerUser} (MAX_BUFFERED_BODIES).`
          fail("body_too_large", message)
        }
        releases.push(limit.reserve(limitOwnerOf(context), held))
        // Once closed, `destroyed` is set.
        if (releases.length === 1 || outgoing.destroyed) whenClosed(outgoing, releaseAll)
      }
    },

    reserveResponse: (context, bytes) =>
      reserveUntilClosed(context, Math.min(bytes * heldPerStoredByte, limit.maxPerUser)),

    read: <T>(
      context: NodeRequestContext,
      maxBytes: number,
      read: BodyReader<T>,
    ): T | Promise<T> => {
      if (context.incoming.headers["content-length"] === undefined) {
        return readWithoutLength(context, read)
      }
      reserve(context, maxBytes)
      return read()
    },

    readReserved: <T>(context: NodeRequestContext, read: BodyReader<T>): T | Promise<T> =>
      context.incoming.headers["content-length"] === undefined
        ? readWithoutLength(context, read)
        : read(),
  }
}
