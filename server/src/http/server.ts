import type { RequestListener } from "node:http"
import { getRequestListener, type HttpBindings } from "@hono/node-server"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { Hono, type MiddlewareHandler } from "hono"
import type { Logger } from "pino"
import { withoutTrailingSlashes } from "../config/trailing-slashes.ts"
import { contain, Failure, report } from "../errors.ts"
import { answerUnroutable, hasSeveralHosts, refuseSeveralHosts } from "./bad-requests.ts"
import { readJson } from "./body.ts"
import type { BodyRoom } from "./body-memory.ts"
import type { createAddressOf } from "./client-address.ts"
import type { ConnectionLimit } from "./connection-limit.ts"
import { type ErrorStyle, errorResponse, toFailure } from "./errors.ts"
import { isPlainHost } from "./fast-path/request-parser.ts"
import { answerHot, createLane } from "./fast-path/routes.ts"
import { createFront } from "./fast-path/server.ts"
import type { HostCheck } from "./host-check.ts"
import { PathRouter } from "./path-router.ts"
import { beginNodeExchange, type Env, type Opening, pathOf } from "./request-context.ts"
import { createRequestLog } from "./request-log.ts"
import { createReply } from "./response-writer.ts"
import type { RouteShape } from "./route.ts"
import type { Router } from "./router.ts"

export interface MountedRoute {
  method: string
  /** With its prefix, in Hono's form. */
  path: string
  style: ErrorStyle
  shape: RouteShape
}

interface Deps {
  log: Logger
  bodyRoom: BodyRoom
  connectionLimit: ConnectionLimit
  checkHost: HostCheck
  addressOf: ReturnType<typeof createAddressOf>
  /** How refusals are worded below a path that no route has. */
  styleOf: (path: string) => ErrorStyle
}

/** Every route answers with and without a last slash, without redirect. */
const withoutLastSlash = (request: Request): string => {
  const { url } = request
  const start = url.indexOf("/", url.indexOf(":") + 4)
  const mark = url.indexOf("?", start)
  const path = mark < 0 ? url.slice(start) : url.slice(start, mark)
  const trimmed = withoutTrailingSlashes(path)
  // Identity providers join the base, which ends in a slash, to paths that start with one.
  if (trimmed.startsWith("/api/v1/scim/")) return trimmed.replace(/\/{2,}/g, "/")
  return trimmed === "" ? "/" : trimmed
}

const begin =
  (opening: Opening): MiddlewareHandler<Env> =>
  async (context, next) => {
    const exchange = beginNodeExchange(opening, context.env)
    exchange.outgoing.setHeader("x-request-id", exchange.requestId)
    context.set("exchange", exchange)
    await next()
  }

const patternOf = (path: string): RegExp => {
  const source = path
    .replace(/[.+^$()|[\]\\]/g, "\\$&")
    .replace(/:\w+\{\\\.\\\+\}/g, ".+")
    .replace(/:\w+/g, "[^/]+")
    .replace(/\*/g, ".*")
  return new RegExp(`^${source}$`)
}

/** The gateway's HTTP surface: routers under their prefixes, and one answer for all else. */
export const createServerApp = (deps: Deps) => {
  const hono = new Hono<Env>({ getPath: withoutLastSlash, router: new PathRouter() })
  const routes: MountedRoute[] = []
  const opening = { addressOf: deps.addressOf, logRequest: createRequestLog(deps.log) }
  const lane = createLane()
  const { checkHost, connectionLimit } = deps
  const front = createFront({ opening, lane, checkHost, connectionLimit })
  let patterns: { route: MountedRoute; pattern: RegExp }[] | undefined

  hono.use(begin(opening))

  const routesAt = (path: string): MountedRoute[] => {
    patterns ??= routes.map((route) => ({ route, pattern: patternOf(route.path) }))
    return patterns.filter(({ pattern }) => pattern.test(path)).map(({ route }) => route)
  }

  hono.notFound((context) => {
    const { path, method } = context.req
    const found = routesAt(path)
    const [first] = found
    if (!first) {
      const failure = new Failure("not_found", `There is nothing at ${path}`)
      return errorResponse(deps.styleOf(path), failure)
    }
    const allow = new Set(found.map((route) => route.method))
    if (allow.has("GET")) allow.add("HEAD")
    const named = [...allow].join(", ")
    const failure = new Failure("method_not_allowed", `${path} takes ${named}, not ${method}`, {
      headers: { allow: named },
    })
    return errorResponse(first.style, failure)
  })

  hono.onError((error, context) => {
    const failure = toFailure(error)
    context.var.exchange.failure = failure
    return errorResponse(deps.styleOf(context.req.path), failure)
  })

  /**
   * Hono wraps the answer to HEAD in a new response, by which it forgets what was sent already. A
   * reply that had begun when its route failed is cut, so that nobody takes it for whole.
   */
  const settled = (response: Response, { outgoing }: Env["Bindings"]): Response => {
    if (!outgoing.headersSent) return response
    if (response !== RESPONSE_ALREADY_SENT && !outgoing.writableEnded) outgoing.destroy()
    return RESPONSE_ALREADY_SENT
  }

  const through = getRequestListener(
    async (request, env) => {
      // Over HTTP/1.1 alone, as `serve` listens.
      const bindings = env as HttpBindings
      return settled(await hono.fetch(request, bindings), bindings)
    },
    { errorHandler: answerUnroutable },
  )
  const refuse = (failure: Failure, bindings: HttpBindings): void => {
    const exchange = beginNodeExchange(opening, bindings)
    exchange.failure = failure
    createReply(exchange).refuse(deps.styleOf(pathOf(bindings.incoming.url)), failure)
  }
  let draining = false
  const answer: RequestListener = (incoming, outgoing) => {
    if (hasSeveralHosts(incoming)) {
      refuseSeveralHosts(outgoing)
      return
    }
    if (draining) outgoing.setHeader("connection", "close")
    const refusal = checkHost(incoming.headers.host)
    if (refusal) {
      refuse(refusal, { incoming, outgoing })
      return
    }
    const isPlain = isPlainHost(incoming.headers.host)
    const route = isPlain ? lane.find(`${incoming.method} ${incoming.url}`) : undefined
    if (!route) return void through(incoming, outgoing)
    const exchange = beginNodeExchange(opening, { incoming, outgoing })
    answerHot(route, exchange, (limits) =>
      deps.bodyRoom.readUnknown(exchange, () => readJson(incoming, limits)),
    )
  }
  /** A fault of ours ends the connection, and nothing else. */
  const listener: RequestListener = (incoming, outgoing) =>
    contain(
      () => answer(incoming, outgoing),
      (error) => {
        outgoing.destroy()
        report(error)
      },
    )

  return {
    listener,
    /** Has plain requests to hot routes answered before the server reads them. */
    standBefore: front.standBefore,
    /** From now on every reply is the last one of its connection. */
    drain: (): void => {
      draining = true
      front.drain()
    },
    /** Cuts connections that the server itself does not know of. */
    closeAll: front.closeAll,
    routes: routes as readonly MountedRoute[],
    /** Answers GET for what no route has; mounted last. `next` leaves it to be refused. */
    otherwise: (handler: MiddlewareHandler<Env>): void => {
      hono.get("*", handler)
    },
    mount: (prefix: string, router: Router): void => {
      hono.route(prefix, router.hono)
      for (const hot of router.hots) lane.add({ ...hot, path: prefix + hot.path })
      for (const shape of router.shapes) {
        const path = `${prefix}${shape.path}`.replace(/(?<=.)\/$/, "")
        routes.push({ method: shape.method.toUpperCase(), path, style: router.style, shape })
      }
    },
  }
}

export type ServerApp = ReturnType<typeof createServerApp>
