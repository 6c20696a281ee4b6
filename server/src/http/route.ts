import type { z } from "zod"
import type { Credential } from "./caller.ts"

/**
 * Who may call a route. `anyone`: no credential is looked at. `signed_in`: any account, one that
 * waits for approval included. `user`: an approved account. `admin`: an administrator.
 * `provisioner`: the organisation's identity provider, by the SCIM token.
 */
export type Access = "anyone" | "signed_in" | "user" | "admin" | "provisioner"

export type Method = "get" | "post" | "put" | "patch" | "delete" | "all"

export interface ResponseDeclaration {
  description: string
  schema?: z.ZodType
  contentType?: string
}

/**
 * Whether what a route does gives authority that would outlast or exceed a limited API key:
 * accounts, keys, passwords, roles, memberships, grants, code that runs for others, settings. Such
 * a key is refused there. Decided by the body where some bodies give it and others do not.
 */
export type GrantsPrivileges<Body> = boolean | ((body: Body, credential: Credential) => boolean)

/** All that is known of a route before it is called; guard, parsing and docs come from it. */
export interface RouteShape<
  A extends Access = Access,
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> {
  access: A
  method: Method
  /** In Hono's form: `/users/:id`. */
  path: string
  summary: string
  params?: P
  query?: Q
  body?: B
  /** Where the body may be larger than others, or made of more values. */
  bodyLimits?: { maxBytes: number; maxValues?: number }
  /** A body that the handler reads by itself: for the documentation, and instead of `body`. */
  rawBody?: { contentType: string; schema: z.ZodType }
  /** Of routes that read, and of those that take no key, there is nothing to say. */
  grantsPrivileges?: GrantsPrivileges<z.output<B>>
  /** Whether it is one of the OpenAI-style routes, which have a name below each alias prefix. */
  isAliased?: boolean
  /** The first 2xx entry is what a handler's value is answered with. */
  responses: Record<number, ResponseDeclaration>
}

/** What changes something says whether it gives authority, where API keys open it. */
type Declaration<A extends Access, Body> = A extends "anyone" | "provisioner"
  ? { method: Method; grantsPrivileges?: never }
  :
      | { method: "get"; grantsPrivileges?: never }
      | { method: Exclude<Method, "get">; grantsPrivileges: GrantsPrivileges<Body> }

/** Declares a route; `access` comes first, so that no route exists without it. */
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
