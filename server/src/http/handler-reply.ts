import type { UserLimit } from "../concurrency/user-limit.ts"
import { networkOf } from "./address.ts"
import { type Exchange, whenClosed } from "./exchange.ts"
import type { RouteShape } from "./route.ts"

/** Replies up to here are not counted: their number is bounded by that of the requests. */
const smallBytes = 64 * 1024

/**
 * Counts whole replies in memory until their clients have them.
 * @returns a function that throws {Failure} `rate_limited` when a user leaves too much unread
 */
export const createReplyHold =
  (limit: UserLimit) =>
  ({ caller, address, outgoing }: Exchange, bytes: number): void => {
    if (bytes <= smallBytes) return
    whenClosed(outgoing, limit.reserve(caller?.user.id ?? networkOf(address), bytes))
  }

/** The status of a reply for which the handler only gives a value. */
export const firstSuccess = (shape: RouteShape): number =>
  Number(Object.keys(shape.responses).find((status) => status.startsWith("2")) ?? 200)

interface Outcome {
  /** What the handler returned. */
  value: unknown
  status: number
  hold: (bytes: number) => void
}

const toResponse = ({ value, status, hold }: Outcome): Response => {
  if (value instanceof Response) return value
  if (status === 204) return new Response(null, { status })
  const text = JSON.stringify(value)
  hold(text.length)
  return new Response(text, { status, headers: { "content-type": "application/json" } })
}

/** Makes the reply of what a handler returned: a `Response` as it is, anything else as JSON. */
export const respond = async (method: string, outcome: Outcome): Promise<Response> => {
  const response = toResponse(outcome)
  // Nobody will read the body of a reply to HEAD: whoever makes it may stop.
  if (method === "HEAD") await response.body?.cancel()
  return response
}
