import type { z } from "zod"
import type { Credential } from "./caller.ts"

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
type Declaration<A extends Access, Body> = A extends "anyone" | "provisioner"
  ? { method: Method; grantsPrivileges?: never }
  :
      | { method: "get"; grantsPrivileges?: never }
      | { method: Exclude<Method, "get">; grantsPrivileges: GrantsPrivileges<Body> }

/** Declares a route. `access` is a separate argument, so that no route lacks it. */
export const route = <
  A extends Access,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(
  access: A,
  shape: Omit<RouteShape<A, P, Q, B>, "access" | "method" | "grantsPrivileges"> &
    Declaration<A, z.output<B>>,
): RouteShape<A, P, Q, B> => ({ access, ...shape })

export const json = (schema: z.ZodType, description: string): ResponseDeclaration => ({
  schema,
  description,
})
