import { z } from "zod"
import type { JsonBody } from "./body-buffer.ts"
import type { Actor, Caller, Credential } from "./caller.ts"
import type { ReadBody } from "./fast-path.ts"
import type { HttpContext, NodeRequestContext, RequestContext } from "./request-context.ts"

/**
 * Who may call a route. `anyone`: credentials are ignored. `signed_in`: any account, even one
 * pending approval. `user`: an approved account. `admin`: an administrator. `provisioner`: the
 * organization's identity provider, authenticated by the SCIM token.
 */
export type Access = "anyone" | "signed_in" | "user" | "admin" | "provisioner"

export type Method = "get" | "post" | "put" | "patch" | "delete" | "all"

export interface ResponseDeclaration {
  description: string
  schema?: z.ZodType
  contentType?: string
  /** Sent as JSON if the handler returns nothing. */
  defaultBody?: object
}

/**
 * Whether a route can grant privileges that outlast or exceed a restricted API key: accounts, keys,
 * passwords, roles, memberships, grants, code that runs for others, settings. Restricted keys are
 * rejected there. A function if it depends on the body.
 */
export type GrantsPrivileges<Body> = boolean | ((body: Body, credential: Credential) => boolean)

/** Declaration of a route, from which authorization, parsing and the API reference derive. */
export interface RouteShape<
  A extends Access = Access,
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> {
  access: A
  method: Method
  /** In Hono's syntax: `/users/:id`. */
  path: string
  summary: string
  params?: P
  query?: Q
  body?: B
  /** Overrides the default limits on the body's size and number of values. */
  bodyLimits?: { maxBytes: number; maxValues?: number }
  /** A body that the handler reads itself; documented in place of `body`. */
  rawBody?: { contentType: string; schema: z.ZodType }
  /** Omitted for `get` routes and for routes that API keys cannot call. */
  grantsPrivileges?: GrantsPrivileges<z.output<B>>
  /** Whether the route is OpenAI-compatible, and thus mounted under every alias prefix. */
  isAliased?: boolean
  /** By status; a value returned by the handler is sent with the first 2xx status. */
  responses: Record<number, ResponseDeclaration>
}

/** Requires `grantsPrivileges` for routes that change something and accept API keys. */
type PrivilegeDeclaration<M extends Method, A extends Access, Body> = A extends
  | "anyone"
  | "provisioner"
  ? { grantsPrivileges?: never }
  : M extends "get"
    ? { grantsPrivileges?: never }
    : { grantsPrivileges: GrantsPrivileges<Body> }

type CallerOf<A extends Access> = A extends "anyone" | "provisioner" ? null : Caller

/** Input of a raw handler: the caller is authorized, the body not read yet. */
export interface RawRequest<A extends Access, P> {
  caller: CallerOf<A>
  actor: Actor
  params: P
  exchange: NodeRequestContext
}

/** Input of a fast-path handler: the caller is authorized, the body not read yet. */
export interface FastPathRouteRequest<A extends Access> {
  caller: CallerOf<A>
  exchange: RequestContext
  read: ReadBody
}

/**
 * Call with the size of a piece of a streamed response before it is read.
 * @throws {Failure} `rate_limited`
 */
export type CountPiece = (bytes: number) => void

/** Input of a handler: authorized, parsed and validated. */
export interface RouteRequest<A extends Access, P, Q, B> extends RawRequest<A, P> {
  query: Q
  body: B
  /** Reads the JSON body unparsed, within the route's limits; for routes without `body`. */
  readBody: () => Promise<JsonBody>
  /** For a buffered `Response`: counts its bytes until the client has read them. */
  countReplyBytes: (bytes: number) => void
  /** For a streamed `Response`: counts each piece that is read for it. */
  createPieceCounter: () => CountPiece
  context: HttpContext
}

/** What handles the requests of a route, by kind of route. */
interface Handlers<A extends Access, P, Q, B> {
  /** Returns a `Response`, or a value to send as JSON. */
  standard: (request: RouteRequest<A, P, Q, B>) => unknown
  /** Reads and writes Node's request and response directly. */
  raw: (request: RawRequest<A, P>) => Promise<void>
  /** For a frequently called route without parameters, which simple requests reach without Hono. */
  fastPath: (request: FastPathRouteRequest<A>) => Promise<void>
}

/** Adds a route to a router. `path` is in Hono's syntax: `/users/:id`. */
export type AddRoute<
  Kind extends keyof Handlers<Access, unknown, unknown, unknown>,
  AllowedAccess extends Access = Access,
> = <
  M extends Method,
  A extends AllowedAccess,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(
  method: M,
  path: string,
  declaration: Omit<RouteShape<A, P, Q, B>, "method" | "path" | "grantsPrivileges"> &
    PrivilegeDeclaration<M, A, z.output<B>> & {
      handle: Handlers<A, z.output<P>, z.output<Q>, z.output<B>>[Kind]
    },
) => void

/** TypeScript cannot follow the conditional type of a declaration. */
export const toRouteShape = (
  method: Method,
  path: string,
  { handle: _, ...declared }: { handle: unknown },
): RouteShape => ({ ...(declared as Omit<RouteShape, "method" | "path">), method, path })

export const json = (schema: z.ZodType, description: string): ResponseDeclaration => ({
  schema,
  description,
})

const SuccessStatus = z.object({ status: z.literal(true) }).meta({ id: "Done" })
export const successBody: z.output<typeof SuccessStatus> = { status: true }

/** The response to a change whose handler returns nothing. */
export const success = (description: string): ResponseDeclaration => ({
  ...json(SuccessStatus, description),
  defaultBody: successBody,
})
