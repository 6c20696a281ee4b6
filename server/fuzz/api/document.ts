import { z } from "zod"

export type Schema = Record<string, unknown>

const Content = z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) }))
const Parameter = z.object({
  name: z.string(),
  in: z.enum(["path", "query"]),
  required: z.boolean(),
  schema: z.record(z.string(), z.unknown()),
})
const Described = z.object({
  operationId: z.string(),
  /** States who may call the operation. */
  description: z.string(),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(z.string(), z.object({ content: Content.optional() })),
})

/** The OpenAPI document that the gateway serves at `/openapi.json`. */
export const OpenApi = z.object({
  paths: z.record(z.string(), z.record(z.string(), Described)),
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
})
export type OpenApi = z.infer<typeof OpenApi>

export type Operation = z.infer<typeof Described> & {
  method: string
  /** Path template with parameters in braces. */
  path: string
  /** First path segment after the prefix, such as `chats`; identifies the type of ids in the path. */
  noun: string
  /** Accepts only the identity provider's token. */
  isScim: boolean
}

const nounOf = (path: string): string =>
  /^\/api\/v1\/(scim\/v2\/\w+|auths\/\w+|functions|[^/]+)/.exec(path)?.[1] ??
  path.split("/")[1] ??
  ""

/** All documented operations. */
export const operationsOf = ({ paths }: OpenApi): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      method: method.toUpperCase(),
      path,
      noun: nounOf(path),
      isScim: path.startsWith("/api/v1/scim/"),
    })),
  )
