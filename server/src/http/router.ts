import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { Hono } from "hono"
import type { z } from "zod"
import { stripTrailingSlashes } from "../config/trailing-slashes.ts"
import { type FairEventLoop, turnCosts } from "../limits/fair-loop.ts"
import type { UserLimit } from "../limits/user-limit.ts"
import {
  clientDisconnected,
  findUnstorableInBody,
  maxDepth,
  parseJsonBody,
  readJson,
} from "./body.ts"
import type { BodyLimits, JsonBody } from "./body-buffer.ts"
import type { BodyMemory } from "./body-memory.ts"
import { type Actor, actorOf, type Caller } from "./caller.ts"
import { networkOf } from "./client-address.ts"
import type { ConnectionLimit } from "./connection-limit.ts"
import { type ErrorStyle, errorResponse, toFailure } from "./errors.ts"
import type { FastPathRoute, ReadBody } from "./fast-path/routes.ts"
import { checkBodyEscalation } from "./privilege-escalation.ts"
import {
  type HonoEnv,
  type HttpContext,
  type NodeRequestContext,
  pathOf,
  type RequestContext,
} from "./request-context.ts"
import { parseParams, parseQuery, rejectUnstorable } from "./request-params.ts"
import type { Access, RouteShape } from "./route.ts"
import { authorize } from "./route-access.ts"
import { createResponseMemory, successStatus, toResponse } from "./route-response.ts"
import { validate } from "./validate.ts"

/** Turns a request's credential into its caller, or throws `unauthorized`. */
export type Authenticate = (exchange: RequestContext) => Caller | Promise<Caller>

/** Admits the identity provider, or throws; it has a token of its own and is no caller. */
export type AdmitProvisioner = (exchange: RequestContext) => Promise<Actor>

type CallerOf<A extends Access> = A extends "anyone" | "provisioner" ? null : Caller

/** What a raw handler is given: the caller is checked, the body still to be read. */
export interface RawRequest<A extends Access, P> {
  caller: CallerOf<A>
  actor: Actor
  params: P
  exchange: NodeRequestContext
}

/** What a hot handler is given: the caller is checked, the body still to be read. */
export interface FastPathRouteRequest<A extends Access> {
  caller: CallerOf<A>
  exchange: RequestContext
  read: ReadBody
}

/** What a handler is given: everything checked, nothing left to parse. */
export interface RouteRequest<A extends Access, P, Q, B> extends RawRequest<A, P> {
  query: Q
  body: B
  /** For a route that parses its JSON body piece by piece; within the route's limits. */
  readBody: () => Promise<JsonBody>
  /** For a handler that answers with bytes from memory: counts them until the client has them. */
  countReplyBytes: (bytes: number) => void
  context: HttpContext
}

export interface Router {
  readonly hono: Hono<HonoEnv>
  readonly style: ErrorStyle
  readonly shapes: RouteShape[]
  /** Those that need not go through Hono. */
  readonly fastPathRoutes: FastPathRoute[]
  /** Adds a route whose value is answered as JSON; a `Response` is answered as it is. */
  on<A extends Access, P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
    shape: RouteShape<A, P, Q, B>,
    handler: (
      request: RouteRequest<A, z.output<P>, z.output<Q>, z.output<B>>,
    ) => unknown | Promise<unknown>,
  ): void
  /** Adds a route that reads and writes Node's own request and response. */
  raw<A extends Access, P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
    shape: RouteShape<A, P, Q, B>,
    handler: (request: RawRequest<A, z.output<P>>) => Promise<void>,
  ): void
  /** Adds a route without parameters, which are asked all day: they come by the shortest way. */
  hot<A extends Exclude<Access, "provisioner">, Q extends z.ZodType, B extends z.ZodType>(
    shape: RouteShape<A, z.ZodType, Q, B>,
    handler: (request: FastPathRouteRequest<A>) => Promise<void>,
  ): void
}

/** Bytes of a JSON body at the most where no credential is asked for, and where one is. */
const anonymousBodyLimit = 64_000
const defaultLimit = 1_000_000
const defaultMaxValues = 100_000
/** Only those that are known are looked at. */
const maxMembers = 10_000

export interface RouterDeps {
  authenticate: Authenticate
  admitProvisioner: AdmitProvisioner
  bodyRoom: BodyMemory
  /** Bytes of replies that clients have not read yet. */
  unreadResponses: UserLimit
  connectionLimit: ConnectionLimit
  /** In which users take turns. */
  fairLoop: FairEventLoop
  /** Bytes of a JSON body at the most. */
  bodyLimit: number
}

/** Makes the routers of all nouns. `style` is how their refusals are worded. */
export const createRouters =
  ({ authenticate, admitProvisioner, fairLoop, bodyLimit, ...limits }: RouterDeps) =>
  (style: ErrorStyle): Router => {
    const hono = new Hono<HonoEnv>()
    const { bodyRoom, unreadResponses: unreadReplies, connectionLimit } = limits
    const replies = createResponseMemory(unreadReplies)
    const shapes: RouteShape[] = []

    const fastPathRoutes: FastPathRoute[] = []

    /** @returns null where the request may go on at once */
    const waitForTurn = (exchange: RequestContext): Promise<void> | null => {
      const share = fairLoop.of(exchange.caller?.user.id ?? networkOf(exchange.address))
      const turn = share.turn(turnCosts.request)
      if (!turn) return null
      return turn.then(() => {
        if (exchange.outgoing.destroyed) throw clientDisconnected()
      })
    }

    /** A flood of requests that are refused is a flood too. */
    const rejectAfterTurn = async (error: unknown, exchange: RequestContext): Promise<never> => {
      await waitForTurn(exchange)
      throw error
    }

    /** At once where the caller is known and need not wait, which is why it is not async. */
    const resolveCaller = (
      shape: RouteShape,
      exchange: RequestContext,
      path: string,
    ): Caller | null | Promise<Caller | null> => {
      const { access } = shape
      const acceptCaller = (caller: Caller): Caller | Promise<Caller> => {
        exchange.caller = caller
        connectionLimit.assignToUser(exchange.incoming.socket, caller.user.id)
        authorize(caller, shape, path)
        return waitForTurn(exchange)?.then(() => caller) ?? caller
      }
      if (access === "anyone" || access === "provisioner") {
        return waitForTurn(exchange)?.then(() => null) ?? null
      }
      const refuse = (error: unknown): Promise<never> => rejectAfterTurn(error, exchange)
      try {
        const known = authenticate(exchange)
        return known instanceof Promise
          ? known.then(acceptCaller).catch(refuse)
          : acceptCaller(known)
      } catch (error) {
        return refuse(error)
      }
    }

    /** The caller of now: a body may take long to arrive, and their access may end meanwhile. */
    const reauthorize = async (
      shape: RouteShape,
      exchange: RequestContext,
      path: string,
    ): Promise<Caller | null> => {
      if (exchange.caller === null) return null
      const caller = await authenticate(exchange)
      exchange.caller = caller
      return authorize(caller, shape, path)
    }

    const limitsOf = ({ access, bodyLimits }: RouteShape): BodyLimits => {
      const usual = access === "anyone" ? anonymousBodyLimit : defaultLimit
      const maxBytes = Math.min(bodyLimits?.maxBytes ?? usual, bodyLimit)
      const maxValues = bodyLimits?.maxValues ?? defaultMaxValues
      return { maxBytes, maxValues, maxDepth, maxMembers }
    }

    const readLimitedBody = (
      shape: RouteShape,
      exchange: NodeRequestContext,
    ): Promise<JsonBody> => {
      const bodyLimits = limitsOf(shape)
      const read = () => readJson(exchange.incoming, bodyLimits)
      return Promise.resolve(bodyRoom.read(exchange, bodyLimits.maxBytes, read))
    }

    const bodyOf = async (shape: RouteShape, exchange: NodeRequestContext): Promise<unknown> => {
      if (!shape.body) return undefined
      const body = await readLimitedBody(shape, exchange)
      const isLeftOut = body.bytes.length === 0 && shape.body.safeParse({}).success
      const value = isLeftOut ? {} : parseJsonBody(body)
      rejectUnstorable(findUnstorableInBody(body.bytes, value))
      return validate(shape.body, value)
    }

    const requestOf = async (shape: RouteShape, context: HttpContext) => {
      const { exchange } = context.var
      const provisioner = shape.access === "provisioner" && (await admitProvisioner(exchange))
      const caller = await resolveCaller(shape, exchange, context.req.path)
      return {
        caller,
        actor: provisioner || actorOf(caller, exchange),
        params: shape.params && parseParams(shape.params, context.req.param()),
        exchange,
        context,
      }
    }

    const add = (shape: RouteShape, handle: (context: HttpContext) => Promise<Response>): void => {
      shapes.push(shape)
      if (shape.method === "all") hono.all(shape.path, handle)
      else hono.on(shape.method.toUpperCase(), shape.path, handle)
    }

    hono.onError((error, context) => {
      const failure = toFailure(error)
      context.var.exchange.failure = failure
      return errorResponse(style, failure)
    })

    return {
      hono,
      style,
      shapes,
      fastPathRoutes,
      on: (shape, handler) => {
        const status = successStatus(shape)
        add(shape, async (context) => {
          const request = await requestOf(shape, context)
          const query = shape.query && parseQuery(shape.query, context)
          const body = await bodyOf(shape, request.exchange)
          if (shape.body) {
            request.caller = await reauthorize(shape, request.exchange, context.req.path)
          }
          checkBodyEscalation(request.caller, shape, body)
          // The shape and the handler were declared together; their types agree by `on`'s own.
          const readBody = async () => {
            const read = await readLimitedBody(shape, request.exchange)
            await reauthorize(shape, request.exchange, context.req.path)
            return read
          }
          const countBytes = (bytes: number): void => replies.count(request.exchange, bytes)
          const whole = { ...request, query, body, readBody, countReplyBytes: countBytes }
          replies.checkAvailable(request.exchange)
          const value = await handler(whole as Parameters<typeof handler>[0])
          return toResponse(context.req.method, { value, status, countBytes })
        })
      },
      raw: (shape, handler) => {
        // The shape and the handler were declared together; their types agree by `raw`'s own.
        type HandlerRequest = Parameters<typeof handler>[0]
        add(shape, async (context) => {
          const request: unknown = await requestOf(shape, context)
          await handler(request as HandlerRequest)
          return RESPONSE_ALREADY_SENT
        })
      },
      hot: (shape, handler) => {
        // The shape and the handler were declared together; their types agree by `hot`'s own.
        type HandlerRequest = Parameters<typeof handler>[0]
        add(shape, async (context) => {
          const { caller, exchange } = await requestOf(shape, context)
          const read: ReadBody = (limits) =>
            bodyRoom.read(exchange, limits.maxBytes, () => readJson(exchange.incoming, limits))
          const request: unknown = { caller, exchange, read }
          await handler(request as HandlerRequest)
          return RESPONSE_ALREADY_SENT
        })
        const { method, path } = shape
        const answer: FastPathRoute["answer"] = (exchange, read) => {
          const handle = (caller: Caller | null): Promise<void> => {
            bodyRoom.reserve(exchange, bodyLimit)
            const request: unknown = { caller, exchange, read }
            return handler(request as HandlerRequest)
          }
          const called = stripTrailingSlashes(pathOf(exchange.incoming.url))
          const found = resolveCaller(shape, exchange, called)
          return found instanceof Promise ? found.then(handle) : handle(found)
        }
        fastPathRoutes.push({ method: method.toUpperCase(), path, style, answer })
      },
    }
  }
