import type { UserLimit } from "../limits/user-limit.ts"
import { smallBodyBytes } from "./body-buffer.ts"
import { networkOf } from "./client-address.ts"
import { type NodeRequestContext, type RequestContext, whenClosed } from "./request-context.ts"
import { maxStallMs } from "./response-writer.ts"
import type { RouteShape } from "./route.ts"

const isReadOnly = ({ incoming }: NodeRequestContext): boolean =>
  incoming.method === "GET" || incoming.method === "HEAD"

/** Counts whole replies in memory until their clients have them. */
export const createResponseMemory = (limit: UserLimit) => {
  const ownerOf = ({ caller, address }: RequestContext): string =>
    caller?.user.id ?? networkOf(address)

  return {
    /**
     * Before a request changes anything: its reply is not refused any more.
     * @throws {Failure} `rate_limited` when too much is left unread already
     */
    checkAvailable: (exchange: NodeRequestContext): void => {
      if (!isReadOnly(exchange)) limit.check(ownerOf(exchange))
    },

    /** @throws {Failure} `rate_limited` when a user who only reads leaves too much unread */
    count: (exchange: NodeRequestContext, bytes: number): void => {
      // The number of small replies is bounded by that of the requests.
      if (bytes <= smallBodyBytes) return
      const { outgoing } = exchange
      const owner = ownerOf(exchange)
      // A reply that is larger than the limit is for a user who has no other.
      const amount = Math.min(bytes, limit.maxPerUser)
      const release = isReadOnly(exchange)
        ? limit.reserve(owner, amount)
        : limit.hold(owner, amount)
      whenClosed(outgoing, release)
      outgoing.setTimeout(maxStallMs, () => outgoing.destroy())
    },
  }
}

/** The status of a reply for which the handler only gives a value. */
export const successStatus = (shape: RouteShape): number =>
  Number(Object.keys(shape.responses).find((status) => status.startsWith("2")) ?? 200)

interface HandlerOutcome {
  /** What the handler returned. */
  value: unknown
  status: number
  countBytes: (bytes: number) => void
}

const jsonResponse = ({ value, status, countBytes }: HandlerOutcome): Response => {
  const text = JSON.stringify(value)
  countBytes(Buffer.byteLength(text))
  return new Response(text, { status, headers: { "content-type": "application/json" } })
}

/** Makes the response of what a handler returned: a `Response` as it is, anything else as JSON. */
export const toResponse = async (method: string, outcome: HandlerOutcome): Promise<Response> => {
  const { value, status } = outcome
  if (status === 204 && !(value instanceof Response)) return new Response(null, { status })
  const response = value instanceof Response ? value : jsonResponse(outcome)
  // Nobody will read the body of a reply to HEAD: whoever makes it may stop.
  if (method === "HEAD") await response.body?.cancel()
  return response
}
