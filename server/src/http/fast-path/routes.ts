import type { BodyLimits, JsonBody } from "../body-buffer.ts"
import { type ErrorStyle, toFailure } from "../errors.ts"
import type { Exchange } from "../request-context.ts"
import { createReply } from "../response-writer.ts"

/**
 * Reads a request's whole body, once; at once where it is here already.
 * @throws {Failure} `body_too_large`, `invalid_json` or `bad_request`, as soon as that is known
 */
export type ReadBody = (limits: BodyLimits) => JsonBody | Promise<JsonBody>

/** A route at a path without parameters, whose handler writes its reply itself. */
export interface HotRoute {
  /** In capitals. */
  method: string
  path: string
  style: ErrorStyle
  /** @throws {Failure} while nothing was sent yet, at once or by its promise */
  answer: (exchange: Exchange, read: ReadBody) => Promise<void>
}

/** A reply that has begun is cut, so that nobody takes it for whole. */
const refuse = (exchange: Exchange, style: ErrorStyle, error: unknown): void => {
  const failure = toFailure(error)
  exchange.failure = failure
  const { headersSent, writableEnded } = exchange.outgoing
  if (!headersSent) createReply(exchange).refuse(style, failure)
  else if (!writableEnded) exchange.outgoing.destroy()
}

/** Has a hot route answer; what it throws is refused. */
export const answerHot = (route: HotRoute, exchange: Exchange, read: ReadBody): void => {
  const refused = (error: unknown): void => refuse(exchange, route.style, error)
  try {
    route.answer(exchange, read).catch(refused)
  } catch (error) {
    refused(error)
  }
}

/**
 * Where the hot routes are found, past the framework: on the way through it a small request costs
 * more than all that the gateway does for it. What is not found here goes that way.
 */
export const createLane = () => {
  const routeByTarget = new Map<string, HotRoute>()
  return {
    add: (route: HotRoute): void => {
      routeByTarget.set(`${route.method} ${route.path}`, route)
      routeByTarget.set(`${route.method} ${route.path}/`, route)
    },
    /** @param target method and path, a space between them */
    find: (target: string): HotRoute | undefined => routeByTarget.get(target),
  }
}

export type Lane = ReturnType<typeof createLane>
