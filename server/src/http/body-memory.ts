import type { UserLimit } from "../limits/user-limit.ts"
import { bodyTooLarge } from "./body-buffer.ts"
import { networkOf } from "./client-address.ts"
import { type NodeRequestContext, type RequestContext, whenClosed } from "./request-context.ts"

/** Bodies up to this size are not counted; the limit on requests bounds them. */
const smallBytes = 64 * 1024
/** A body without Content-Length is reserved in steps of this size. */
const stepBytes = 1024 * 1024

type BodyReader<T> = () => T | Promise<T>

/** Reserves memory for request bodies until their responses close. */
export const createBodyMemory = (limit: UserLimit) => {
  const reserveUntilClosed = (
    { caller, address, outgoing }: RequestContext,
    bytes: number,
  ): void => {
    whenClosed(outgoing, limit.reserve(caller?.user.id ?? networkOf(address), bytes))
  }

  /** Reserves while reading; only Node's server accepts a body without a length. */
  const readWithoutLength = <T>(exchange: NodeRequestContext, read: BodyReader<T>): Promise<T> => {
    const { promise: refused, reject } = Promise.withResolvers<never>()
    let held = smallBytes
    let length = 0
    exchange.incoming.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length <= held) return
      held += stepBytes
      try {
        reserveUntilClosed(exchange, stepBytes)
      } catch (error) {
        held = Number.POSITIVE_INFINITY
        reject(error)
      }
    })
    return Promise.race([refused, read()])
  }

  /**
   * @param maxBytes maximum size of the body, regardless of available memory
   * @throws {Failure} `body_too_large`, or `rate_limited` while not enough memory is available
   */
  const reserve = (exchange: RequestContext, maxBytes: number): void => {
    const length = Number(exchange.incoming.headers["content-length"])
    if (length > maxBytes) throw bodyTooLarge(maxBytes)
    if (length > smallBytes) reserveUntilClosed(exchange, length)
  }

  return {
    reserve,

    /** Reserves memory for a body, with or without Content-Length, and reads it. */
    read: <T>(
      exchange: NodeRequestContext,
      maxBytes: number,
      read: BodyReader<T>,
    ): T | Promise<T> => {
      if (exchange.incoming.headers["content-length"] === undefined) {
        return readWithoutLength(exchange, read)
      }
      reserve(exchange, maxBytes)
      return read()
    },

    /** Like `read`, if `reserve` was already called for a body with Content-Length. */
    readUnknown: <T>(exchange: NodeRequestContext, read: BodyReader<T>): T | Promise<T> =>
      exchange.incoming.headers["content-length"] === undefined
        ? readWithoutLength(exchange, read)
        : read(),
  }
}

export type BodyMemory = ReturnType<typeof createBodyMemory>
