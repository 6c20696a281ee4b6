import type { UserLimit } from "../limits/user-limit.ts"
import { tooLarge } from "./body-buffer.ts"
import { networkOf } from "./client-address.ts"
import { type Exchange, type NodeExchange, whenClosed } from "./request-context.ts"

/** Bodies up to here are not counted: their number is bounded by that of the requests. */
const smallBytes = 64 * 1024
/** In such steps is counted what does not say how long it will be. */
const stepBytes = 1024 * 1024

type Reading<T> = () => T | Promise<T>

/** Reserves memory for request bodies, until their requests are over. */
export const createBodyRoom = (limit: UserLimit) => {
  const hold = ({ caller, address, outgoing }: Exchange, bytes: number): void => {
    whenClosed(outgoing, limit.reserve(caller?.user.id ?? networkOf(address), bytes))
  }

  /** Counts while it is read; only Node's server takes a body without a length. */
  const readUnknown = <T>(exchange: NodeExchange, read: Reading<T>): Promise<T> => {
    const { promise: refused, reject } = Promise.withResolvers<never>()
    let held = smallBytes
    let length = 0
    exchange.incoming.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length <= held) return
      held += stepBytes
      try {
        hold(exchange, stepBytes)
      } catch (error) {
        held = Number.POSITIVE_INFINITY
        reject(error)
      }
    })
    return Promise.race([refused, read()])
  }

  /**
   * @param maxBytes what is longer is refused for good: there is no waiting for room for it
   * @throws {Failure} `body_too_large`, or `rate_limited` where there is no room for it now
   */
  const reserve = (exchange: Exchange, maxBytes: number): void => {
    const length = Number(exchange.incoming.headers["content-length"])
    if (length > maxBytes) throw tooLarge(maxBytes)
    if (length > smallBytes) hold(exchange, length)
  }

  return {
    reserve,

    /** Reads a body that may come without a length, and reserves room for it. */
    read: <T>(exchange: NodeExchange, maxBytes: number, read: Reading<T>): T | Promise<T> => {
      if (exchange.incoming.headers["content-length"] === undefined) {
        return readUnknown(exchange, read)
      }
      reserve(exchange, maxBytes)
      return read()
    },

    /** As `read`, where room for a body with a length was reserved before. */
    readUnknown: <T>(exchange: NodeExchange, read: Reading<T>): T | Promise<T> =>
      exchange.incoming.headers["content-length"] === undefined
        ? readUnknown(exchange, read)
        : read(),
  }
}

export type BodyRoom = ReturnType<typeof createBodyRoom>
