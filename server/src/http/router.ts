import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { Hono } from "hono"
import { runAs } from "../concurrency/current-user.ts"
import { type FairEventLoop, turnCosts } from "../concurrency/fair-event-loop.ts"
import type { UserLimit } from "../concurrency/user-limit.ts"
import { stripTrailingSlashes } from "../config/strip-trailing-slashes.ts"
import { authorize } from "./authorize.ts"
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
import { limitOwnerOf } from "./client-address.ts"
import type { ConnectionLimit } from "./connection-limit.ts"
import { type ErrorStyle, errorResponse, toFailure } from "./failure-response.ts"
import type { FastPathRoute, ReadBody } from "./fast-path.ts"
import { createEscalationCheck } from "./privilege-escalation.ts"
import {
  type HonoContext,
  type HonoEnv,
  type NodeRequestContext,
  pathOf,
  type RequestContext,
} from "./request-context.ts"
import { parseParams, parseQuery, rejectUnstorable } from "./request-params.ts"
import { createResponseMemory } from "./response-memory.ts"
import { type Access, type AddHandler, type RouteShape, toRouteShape } from "./route.ts"
import { successOf, toResponse } from "./route-response.ts"
import { validate } from "./validate.ts"

/** Resolves a request's credential to its caller. @throws {Failure} `unauthorized` */
export type Authenticate = (context: RequestContext) => Caller | Promise<Caller>

/** Authenticates the identity provider by the SCIM token; it has no account, so no `Caller`. */
export type AdmitProvisioner = (context: RequestContext) => Promise<Actor>

export interface Router {
  readonly hono: Hono<HonoEnv>
  readonly style: ErrorStyle
  readonly shapes: RouteShape[]
  /** Routes that simple requests reach without Hono. */
  readonly fastPathRoutes: FastPathRoute[]
  on: AddHandler<"standard">
  raw: AddHandler<"raw">
  fastPath: AddHandler<"fastPath", Exclude<Access, "provisioner">>
}

/** Default maximum size of a JSON body, in bytes, for `anyone` and for all other access. */
const anonymousBodyLimit = 64_000
const defaultLimit = 1_000_000
const defaultMaxValues = 100_000
/** High because unknown members are ignored. */
const maxMembers = 10_000

export interface RouterDeps {
  authenticate: Authenticate
  admitProvisioner: AdmitProvisioner
  bodyMemory: BodyMemory
  /** Limits the bytes of responses that clients have not read yet. */
  unreadResponses: UserLimit
  connectionLimit: ConnectionLimit
  /** Whether there are limits on what is used with a key. */
  isLimitedKey: (keyId: string) => boolean
  /** Shares the event loop fairly among users. */
  fairLoop: FairEventLoop
  /** Maximum size of any JSON body, in bytes. */
  bodyLimit: number
}

/** Handlers run on behalf of the caller, so that limits per user count all that they do. */
const runFor = <T>(caller: Caller | null, handle: () => T): T =>
  caller ? runAs(caller.user.id, handle) : handle()

/** Returns a function that creates routers; `style` is the error format of a router's routes. */
export const createRouters =
  ({ authenticate, admitProvisioner, fairLoop, bodyLimit, ...limits }: RouterDeps) =>
  (style: ErrorStyle): Router => {
    const hono = new Hono<HonoEnv>()
    const { bodyMemory, unreadResponses, connectionLimit, isLimitedKey } = limits
    const escalation = createEscalationCheck({ isLimitedKey })
    const replies = createResponseMemory(unreadResponses)
    const shapes: RouteShape[] = []

    const fastPathRoutes: FastPathRoute[] = []

    /** @returns null if the request may continue immediately */
    const waitForTurn = (context: RequestContext): Promise<void> | null => {
      const share = fairLoop.of(limitOwnerOf(context))
      const turn = share.turn(turnCosts.request)
      if (!turn) return null
      return turn.then(() => {
        if (context.outgoing.destroyed) throw clientDisconnected()
      })
    }

    /** Rejected requests wait for their turn too: a flood of them costs others just as much. */
    const rejectAfterTurn = async (error: unknown, context: RequestContext): Promise<never> => {
      await waitForTurn(context)
      throw error
    }

    /** Not `async`: synchronous if the caller is cached and need not wait. */
    const resolveCaller = (
      shape: RouteShape,
      context: RequestContext,
      path: string,
    ): Caller | null | Promise<Caller | null> => {
      const { access } = shape
      const acceptCaller = (caller: Caller): Caller | Promise<Caller> => {
        context.caller = caller
        connectionLimit.assignToUser(context.incoming.socket, caller.user.id)
        authorize(caller, { shape, path, escalation })
        return waitForTurn(context)?.then(() => caller) ?? caller
      }
      if (access === "anyone" || access === "provisioner") {
        return waitForTurn(context)?.then(() => null) ?? null
      }
      const refuse = (error: unknown): Promise<never> => rejectAfterTurn(error, context)
      try {
        const known = authenticate(context)
        return known instanceof Promise
          ? known.then(acceptCaller).catch(refuse)
          : acceptCaller(known)
      } catch (error) {
        return refuse(error)
      }
    }

    /** Authorizes again after reading the body: access may end while a slow body arrives. */
    const reauthorize = async (
      shape: RouteShape,
      context: RequestContext,
      path: string,
    ): Promise<Caller | null> => {
      if (context.caller === null) return null
      const caller = await authenticate(context)
      context.caller = caller
      return authorize(caller, { shape, path, escalation })
    }

    const limitsOf = ({ access, bodyLimits }: RouteShape): BodyLimits => {
      const usual = access === "anyone" ? anonymousBodyLimit : defaultLimit
      const maxBytes = Math.min(bodyLimits?.maxBytes ?? usual, bodyLimit)
      const maxValues = bodyLimits?.maxValues ?? defaultMaxValues
      return { maxBytes, maxValues, maxDepth, maxMembers }
    }

    const readLimitedBody = (shape: RouteShape, context: NodeRequestContext): Promise<JsonBody> => {
      const bodyLimits = limitsOf(shape)
      const read = () => readJson(context.incoming, bodyLimits)
      return Promise.resolve(bodyMemory.read(context, bodyLimits.maxBytes, read))
    }

    const bodyOf = async (shape: RouteShape, context: NodeRequestContext): Promise<unknown> => {
      if (!shape.body) return undefined
      const body = await readLimitedBody(shape, context)
      const isLeftOut = body.bytes.length === 0 && shape.body.safeParse({}).success
      const value = isLeftOut ? {} : parseJsonBody(body)
      rejectUnstorable(findUnstorableInBody(body.bytes, value))
      return validate(shape.body, value)
    }

    const requestOf = async (shape: RouteShape, honoContext: HonoContext) => {
      const { context } = honoContext.var
      const provisioner = shape.access === "provisioner" && (await admitProvisioner(context))
      const caller = await resolveCaller(shape, context, honoContext.req.path)
      return {
        caller,
        actor: provisioner || actorOf(caller, context),
        params: shape.params && parseParams(shape.params, honoContext.req.param()),
        context,
      }
    }

    const add = (
      shape: RouteShape,
      handle: (honoContext: HonoContext) => Promise<Response>,
    ): void => {
      shapes.push(shape)
      if (shape.method === "all") hono.all(shape.path, handle)
      else hono.on(shape.method.toUpperCase(), shape.path, handle)
    }

    hono.onError((error, honoContext) => {
      const failure = toFailure(error)
      honoContext.var.context.failure = failure
      return errorResponse(style, failure)
    })

    return {
      hono,
      style,
      shapes,
      fastPathRoutes,
      on: (route, handle) => {
        const shape = toRouteShape(route)
        const { status, defaultBody } = successOf(shape)
        add(shape, async (honoContext) => {
          const request = await requestOf(shape, honoContext)
          const query = shape.query && parseQuery(shape.query, honoContext)
          const body = await bodyOf(shape, request.context)
          if (shape.body) {
            request.caller = await reauthorize(shape, request.context, honoContext.req.path)
          }
          escalation.checkBody(request.caller, shape, body)
          const readBody = async () => {
            const read = await readLimitedBody(shape, request.context)
            await reauthorize(shape, request.context, honoContext.req.path)
            return read
          }
          const countBytes = (bytes: number): void => replies.count(request.context, bytes)
          const createPieceCounter = () => replies.createPieceCounter(request.context)
          const counters = { countReplyBytes: countBytes, createPieceCounter }
          const whole = { ...request, query, body, readBody, ...counters }
          replies.checkAvailable(request.context)
          // `on` ties the handler's types to those of the shape; TypeScript cannot infer it here.
          const returned = await runFor(request.caller, () =>
            handle(whole as Parameters<typeof handle>[0]),
          )
          const value = returned === undefined ? defaultBody : returned
          return toResponse(honoContext.req.method, { value, status, countBytes })
        })
      },
      raw: (route, handle) => {
        const shape = toRouteShape(route)
        // `raw` ties the handler's types to those of the shape; TypeScript cannot infer it here.
        type HandlerRequest = Parameters<typeof handle>[0]
        add(shape, async (honoContext) => {
          const found = await requestOf(shape, honoContext)
          const request: unknown = found
          await runFor(found.caller, () => handle(request as HandlerRequest))
          return RESPONSE_ALREADY_SENT
        })
      },
      fastPath: (route, handle) => {
        const shape = toRouteShape(route)
        // `fastPath` ties the handler's types to those of the shape; TypeScript cannot infer it here.
        type HandlerRequest = Parameters<typeof handle>[0]
        add(shape, async (honoContext) => {
          const { caller, context } = await requestOf(shape, honoContext)
          const read: ReadBody = (limits) =>
            bodyMemory.read(context, limits.maxBytes, () => readJson(context.incoming, limits))
          const request: unknown = { caller, context, read }
          await runFor(caller, () => handle(request as HandlerRequest))
          return RESPONSE_ALREADY_SENT
        })
        const answer: FastPathRoute["answer"] = (context, read) => {
          const respond = (caller: Caller | null): Promise<void> => {
            bodyMemory.reserve(context, bodyLimit)
            const request: unknown = { caller, context, read }
            return runFor(caller, () => handle(request as HandlerRequest))
          }
          const called = stripTrailingSlashes(pathOf(context.incoming.url))
          const found = resolveCaller(shape, context, called)
          return found instanceof Promise ? found.then(respond) : respond(found)
        }
        fastPathRoutes.push({ method: shape.method.toUpperCase(), path: shape.path, style, answer })
      },
    }
  }
