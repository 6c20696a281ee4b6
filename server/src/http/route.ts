import { z } from "zod"
import type { JsonBody } from "./body-buffer.ts"
import type { Actor, AuthenticatedCredential, Caller } from "./caller.ts"
import type { ReadBody } from "./fast-path.ts"
import type { NodeRequestContext, RequestContext } from "./request-context.ts"

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
  /** Descriptions of the headers that it has, by name. */
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON if the handler returns nothing. */
  defaultBody?: object
}

export type Responses = Record<number, ResponseDeclaration>

type SuccessStatus = 200 | 201 | 202 | 204

// biome-ignore lint/suspicious/noConfusingVoidType: what functions without a return statement return
type Nothing = void

/** What a handler returns for one response: its body, unless it has a default one or none. */
type ReturnedFor<D> = D extends { defaultBody: object }
  ? Nothing
  : D extends { schema: infer S extends z.ZodType }
    ? z.output<S>
    : D extends { contentType: string }
      ? never
      : Nothing

/** What a handler returns: the body of its successful response, or a `Response` that it made. */
type Returned<R extends Responses> =
  | { [Status in keyof R & SuccessStatus]: ReturnedFor<R[Status]> }[keyof R & SuccessStatus]
  | Response

/**
 * Whether a route can grant privileges that outlast or exceed a restricted API key: accounts, keys,
 * passwords, roles, memberships, grants, code that runs for others, settings. Restricted keys are
 * rejected there. A function if it depends on the body.
 */
export type GrantsPrivileges<Body> =
  | boolean
  | ((body: Body, credential: AuthenticatedCredential) => boolean)

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
  /** Whether service keys may call the route; by default, they may not. */
  acceptsServiceKeys?: boolean
  /** Whether the route is OpenAI-compatible, and thus mounted under every alias prefix. */
  isAliased?: boolean
  /** By status; a value returned by the handler is sent with the first 2xx status. */
  responses: Responses
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
  context: NodeRequestContext
}

/** Input of a fast-path handler: the caller is authorized, the body not read yet. */
export interface FastPathRouteRequest<A extends Access> {
  caller: CallerOf<A>
  context: RequestContext
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
}

/** What handles the requests of a route, by kind of route. */
interface Handlers<A extends Access, P, Q, B, R extends Responses> {
  /** Returns a `Response`, or a value to send as JSON. */
  standard: (request: RouteRequest<A, P, Q, B>) => Returned<R> | Promise<Returned<R>>
  /** Reads and writes Node's request and response directly. */
  raw: (request: RawRequest<A, P>) => Promise<void>
  /** For a frequently called route without parameters, which simple requests reach without Hono. */
  fastPath: (request: FastPathRouteRequest<A>) => Promise<void>
}

/** A declared route: its types are those of its declaration. */
export interface Route<
  M extends Method,
  Path extends string,
  A extends Access,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends Responses,
> extends RouteShape<A, P, Q, B> {
  method: M
  path: Path
  responses: R
}

/**
 * Declares a route. Its handler is given to a router, and the web page calls it with the same types.
 * @param path with the prefix under which it is mounted; in Hono's syntax: `/api/v1/users/:id`
 */
export const route = <
  M extends Method,
  Path extends string,
  A extends Access,
  R extends Responses,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(
  method: M,
  path: Path,
  declaration: Omit<RouteShape<A, P, Q, B>, "method" | "path" | "grantsPrivileges" | "responses"> &
    PrivilegeDeclaration<M, A, z.output<B>> & { responses: R },
): Route<M, Path, A, P, Q, B, R> => ({ ...declaration, method, path })

/** TypeScript cannot see that `grantsPrivileges` only gets bodies of its own route. */
export const toRouteShape = (declared: object): RouteShape => declared as RouteShape

/** Adds the handler of a route to a router. */
export type AddHandler<
  Kind extends keyof Handlers<Access, unknown, unknown, unknown, Responses>,
  AllowedAccess extends Access = Access,
> = <
  A extends AllowedAccess,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends Responses,
>(
  route: Route<Method, string, A, P, Q, B, R>,
  handle: Handlers<A, z.output<P>, z.output<Q>, z.output<B>, R>[Kind],
) => void

export const json = <S extends z.ZodType>(schema: S, description: string) => ({
  schema,
  description,
})

const SuccessStatus = z.object({ status: z.literal(true) }).meta({ id: "Done" })
export const successBody: z.output<typeof SuccessStatus> = { status: true }

/** The response to a change whose handler returns nothing. */
export const success = (description: string) => ({
  ...json(SuccessStatus, description),
  defaultBody: successBody,
})
