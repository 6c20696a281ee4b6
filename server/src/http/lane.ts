import type { HttpBindings } from "@hono/node-server"
import { type ErrorStyle, toFailure } from "./errors.ts"
import type { Exchange } from "./exchange.ts"
import { createReply } from "./reply.ts"

/** A route that reads and writes Node's own request and response, at a path without parameters. */
export interface HotRoute {
  /** In capitals. */
  method: string
  path: string
  style: ErrorStyle
  /** @throws {Failure} while nothing was sent yet, at once or by its promise */
  answer: (exchange: Exchange) => Promise<void>
}

const refuse = (exchange: Exchange, style: ErrorStyle, error: unknown): void => {
  const failure = toFailure(error)
  exchange.failure = failure
  if (!exchange.outgoing.headersSent) createReply(exchange).refuse(style, failure)
}

/**
 * Where the hot routes are answered, past the framework: on the way through it a small request
 * costs more than all that the gateway does for it. What is not found here goes that way.
 */
export const createLane = (begin: (bindings: HttpBindings) => Exchange) => {
  const routeByTarget = new Map<string, HotRoute>()

  return {
    add: (route: HotRoute): void => {
      routeByTarget.set(`${route.method} ${route.path}`, route)
      routeByTarget.set(`${route.method} ${route.path}/`, route)
    },

    /** @returns whether the request is one of the lane's, and is being answered */
    take: (bindings: HttpBindings): boolean => {
      const { method, url } = bindings.incoming
      const route = routeByTarget.get(`${method} ${url}`)
      if (!route) return false
      const exchange = begin(bindings)
      const refused = (error: unknown): void => refuse(exchange, route.style, error)
      try {
        route.answer(exchange).catch(refused)
      } catch (error) {
        refused(error)
      }
      return true
    },
  }
}
