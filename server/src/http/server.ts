import type { RequestListener, Server } from "node:http"
import { getRequestListener, type HttpBindings } from "@hono/node-server"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { isPlainHost } from "@portico/http1"
import { Hono, type MiddlewareHandler } from "hono"
import type { Logger } from "pino"
import { stripTrailingSlashes } from "../config/strip-trailing-slashes.ts"
import { catchErrors, Failure, reportUnhandled } from "../errors.ts"
import { hasDuplicateHost, rejectDuplicateHost, unroutableResponse } from "./bad-requests.ts"
import { readJson } from "./body.ts"
import type { BodyMemory } from "./body-memory.ts"
import type { createClientAddressResolver } from "./client-address.ts"
import type { ConnectionLimit } from "./connection-limit.ts"
import type { Cors } from "./cors.ts"
import { type ErrorStyle, errorResponse, toFailure } from "./failure-response.ts"
import { createFastPath, type FastPathRoute, respondFastPath } from "./fast-path.ts"
import type { HostCheck } from "./host-check.ts"
import { PathRouter } from "./path-router.ts"
import { privateHeaders } from "./private-headers.ts"
import {
  createNodeRequestContext,
  type HonoEnv,
  pathOf,
  type RequestContextDeps,
} from "./request-context.ts"
import { createRequestLog } from "./request-log.ts"
import { ResponseWriter } from "./response-writer.ts"
import type { RouteShape } from "./route.ts"
import type { Router } from "./router.ts"

export interface MountedRoute {
  method: string
  /** Including its prefix, in Hono's syntax. */
  path: string
  style: ErrorStyle
  shape: RouteShape
}

interface Deps {
  log: Logger
  bodyMemory: BodyMemory
  connectionLimit: ConnectionLimit
  checkHost: HostCheck
  /** Whether model routes bypass Hono, and simple requests Node's server. */
  usesFastPath: boolean
  cors: Cors
  addressOf: ReturnType<typeof createClientAddressResolver>
  /** Error format for a path that matches no route. */
  styleOf: (path: string) => ErrorStyle
}

/** Makes every route match with and without a trailing slash, without a redirect. */
const normalizePath = (request: Request): string => {
  const { url } = request
  const start = url.indexOf("/", url.indexOf(":") + 4)
  const mark = url.indexOf("?", start)
  const path = mark < 0 ? url.slice(start) : url.slice(start, mark)
  const trimmed = stripTrailingSlashes(path)
  // Identity providers join a base URL that ends in a slash with paths that start with one.
  if (trimmed.startsWith("/api/v1/scim/")) return trimmed.replace(/\/{2,}/g, "/")
  return trimmed === "" ? "/" : trimmed
}

const begin =
  (opening: RequestContextDeps, cors: Cors): MiddlewareHandler<HonoEnv> =>
  async (honoContext, next) => {
    const context = createNodeRequestContext(opening, honoContext.env)
    context.outgoing.setHeader("x-request-id", context.requestId)
    for (const [name, value] of Object.entries(privateHeaders))
      context.outgoing.setHeader(name, value)
    const corsHeaders = context.corsHeaders ?? []
    for (let at = 0; at < corsHeaders.length; at += 2) {
      context.outgoing.setHeader(corsHeaders[at] ?? "", corsHeaders[at + 1] ?? "")
    }
    honoContext.set("context", context)
    const preflight = cors.answerPreflight(honoContext.req.raw)
    return preflight ?? next()
  }

/** Where clients with a wrong base address may have meant to go: `/models`, `/ai/v1/models`. */
const likelyPaths = (path: string): string[] => {
  const nested = [path.lastIndexOf("/v1/"), path.lastIndexOf("/api/")].filter((at) => at > 0)
  const versionless = path.replace(/^\/v\d[a-z0-9]*\//i, "/")
  return [...nested.map((at) => path.slice(at)), `/v1${versionless}`, `/api/v1${versionless}`]
}

const requestsWebSocket = (upgrade: string | undefined): boolean =>
  upgrade?.split(",").some((protocol) => protocol.trim().toLowerCase() === "websocket") ?? false

/** Clients that can do without WebSockets take this status for the request to do so. */
const webSocketFailure = (path: string): Failure =>
  new Failure("upgrade_required", `${path} has no WebSockets. Use HTTP requests with POST.`, {
    headers: { upgrade: "HTTP/1.1", connection: "upgrade, close" },
  })

/** A parameter with or without a pattern of its own, the rest of a path, or what has to be escaped. */
const pathToken = /:\w+(?:\{([^}]*)\})?|\*|[.+^$()|[\]\\]/g

/** What a path in Hono's syntax matches. */
export const patternOf = (path: string): RegExp => {
  const source = path.replace(pathToken, (token, pattern: string | undefined) => {
    if (token.startsWith(":")) return pattern === undefined ? "[^/]+" : `(?:${pattern})`
    return token === "*" ? ".*" : `\\${token}`
  })
  return new RegExp(`^${source}$`)
}

/** Mounts routers under their prefixes, and responds to requests that match no route. */
export interface ServerApp {
  listener: RequestListener
  /** Puts the fast path in front of Node's server, if it is used. */
  attachTo(server: Server): void
  /** Makes each following response the last one of its connection. */
  drain(): void
  /** Closes the fast path's connections, which Node's server does not track. */
  closeAll(): void
  routes: readonly MountedRoute[]
  /**
   * Handles GET requests that match no route, except those of programs for a path that resembles
   * one; call it last. `next` responds with 404 or 405.
   */
  fallback(handler: MiddlewareHandler<HonoEnv>): void
  /** @param prefix for routes that are declared without it, because they have several */
  mount(router: Router, prefix?: string): void
}

export const createServerApp = (deps: Deps): ServerApp => {
  const hono = new Hono<HonoEnv>({ getPath: normalizePath, router: new PathRouter() })
  const routes: MountedRoute[] = []
  const { cors } = deps
  const opening = { addressOf: deps.addressOf, cors, logRequest: createRequestLog(deps.log) }
  const fastPathRoutes = new Map<string, FastPathRoute>()
  const { checkHost, connectionLimit } = deps
  const fastPath = createFastPath({ opening, routes: fastPathRoutes, checkHost, connectionLimit })
  let patterns: { route: MountedRoute; pattern: RegExp }[] | undefined

  hono.use(begin(opening, cors))

  const routesAt = (path: string): MountedRoute[] => {
    patterns ??= routes.map((route) => ({ route, pattern: patternOf(route.path) }))
    return patterns.filter(({ pattern }) => pattern.test(path)).map(({ route }) => route)
  }

  const findLikelyPath = (path: string): string | undefined =>
    likelyPaths(path).find((likely) => routesAt(likely).length > 0)

  hono.notFound((honoContext) => {
    const { path, method } = honoContext.req
    const found = routesAt(path)
    const [first] = found
    if (!first) {
      const likely = findLikelyPath(path)
      const hint = likely === undefined ? "" : ` Did you mean ${likely}?`
      const failure = new Failure("not_found", `No route matches ${path}.${hint}`)
      return errorResponse(deps.styleOf(likely ?? path), failure)
    }
    if (requestsWebSocket(honoContext.req.header("upgrade"))) {
      return errorResponse(first.style, webSocketFailure(path))
    }
    const allow = new Set(found.map((route) => route.method))
    if (allow.has("GET")) allow.add("HEAD")
    const named = [...allow].join(", ")
    const failure = new Failure(
      "method_not_allowed",
      `${path} does not support ${method}. Use ${named}.`,
      {
        headers: { allow: named },
      },
    )
    return errorResponse(first.style, failure)
  })

  hono.onError((error, honoContext) => {
    const failure = toFailure(error)
    honoContext.var.context.failure = failure
    return errorResponse(deps.styleOf(honoContext.req.path), failure)
  })

  /**
   * Hono wraps a HEAD response in a new one and so loses the mark that it was already sent. A
   * response that had started when its route failed is aborted so that clients do not mistake it
   * for complete.
   */
  const abortIfSent = (response: Response, { outgoing }: HonoEnv["Bindings"]): Response => {
    if (!outgoing.headersSent) return response
    if (response !== RESPONSE_ALREADY_SENT && !outgoing.writableEnded) outgoing.destroy()
    return RESPONSE_ALREADY_SENT
  }

  const handleWithHono = getRequestListener(
    async (request, env) => {
      // The server speaks only HTTP/1.1, so these are never HTTP/2 bindings.
      const bindings = env as HttpBindings
      return abortIfSent(await hono.fetch(request, bindings), bindings)
    },
    // The cleanup would close a connection without notice if its rejected body takes more than 0.5 s
    // to arrive; `createNodeRequestContext` reads the rest instead.
    { errorHandler: unroutableResponse, autoCleanupIncoming: false },
  )
  const refuse = (failure: Failure, bindings: HttpBindings): void => {
    const context = createNodeRequestContext(opening, bindings)
    context.failure = failure
    new ResponseWriter(context).sendFailure(deps.styleOf(pathOf(bindings.incoming.url)), failure)
  }
  let draining = false
  const answer: RequestListener = (incoming, outgoing) => {
    if (hasDuplicateHost(incoming)) {
      rejectDuplicateHost(outgoing)
      return
    }
    if (draining) outgoing.setHeader("connection", "close")
    const refusal = checkHost(incoming.headers.host)
    if (refusal) {
      refuse(refusal, { incoming, outgoing })
      return
    }
    const isPlain = isPlainHost(incoming.headers.host)
    const route = isPlain ? fastPathRoutes.get(`${incoming.method} ${incoming.url}`) : undefined
    if (!route) return void handleWithHono(incoming, outgoing)
    const context = createNodeRequestContext(opening, { incoming, outgoing })
    respondFastPath(route, context, (limits) =>
      deps.bodyMemory.readReserved(context, () => readJson(incoming, limits)),
    )
  }
  /** A bug in request handling closes only the request's connection. */
  const listener: RequestListener = (incoming, outgoing) =>
    catchErrors(
      () => answer(incoming, outgoing),
      (error) => {
        outgoing.destroy()
        reportUnhandled(error)
      },
    )

  return {
    listener,
    attachTo: (server) => {
      if (deps.usesFastPath) fastPath.attach(server)
    },
    drain: () => {
      draining = true
      fastPath.drain()
    },
    closeAll: fastPath.closeAll,
    routes: routes as readonly MountedRoute[],
    fallback: (handler) => {
      hono.get("*", (honoContext, next) => {
        const isNavigation = honoContext.req.header("accept")?.toLowerCase().includes("text/html")
        const isLost = !isNavigation && findLikelyPath(honoContext.req.path) !== undefined
        return isLost ? next() : handler(honoContext, next)
      })
    },
    mount: (router, prefix = "") => {
      hono.route(prefix, router.hono)
      for (const route of deps.usesFastPath ? router.fastPathRoutes : []) {
        const target = `${route.method} ${prefix}${route.path}`
        fastPathRoutes.set(target, route).set(`${target}/`, route)
      }
      for (const shape of router.shapes) {
        const path = `${prefix}${shape.path}`.replace(/(?<=.)\/$/, "")
        routes.push({ method: shape.method.toUpperCase(), path, style: router.style, shape })
      }
    },
  }
}
