import { z } from "zod"
import { contentTypeOf } from "../http/failure-response.ts"
import type { Access, ResponseDeclaration, RouteShape } from "../http/route.ts"
import type { MountedRoute } from "../http/server.ts"
import { errorSchemas } from "./error-schemas.ts"
import {
  createSchemaComponents,
  type JsonSchema,
  type SchemaComponents,
  type SchemaDirection,
} from "./openapi-components.ts"

type Json = Record<string, unknown>

interface ResponseDescription {
  description: string
  headers?: Json
  content?: Json
}

const introduction = `The HTTP API of this gateway. **It is experimental and may change.**

Send an API key or a token: \`Authorization: Bearer sk-…\`. A trailing slash in a path is
optional; an unsupported method returns 405 with \`Allow\`. Every response has an \`x-request-id\`.
\`/v1\`, \`/api\` and \`/api/v1\` are aliases of each other for the OpenAI-style routes.`

const accessDescriptions: Record<Access, string> = {
  anyone: "Open to anyone.",
  signed_in: "For all accounts, including those pending approval.",
  user: "For approved accounts.",
  admin: "For administrators.",
  provisioner: "For the identity provider, with `Authorization: Bearer <SCIM_TOKEN>`.",
}

const securitySchemes = {
  bearer: { type: "http", scheme: "bearer", description: "An API key (`sk-…`) or a token" },
  api_key: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "An API key or a token",
  },
  cookie: {
    type: "apiKey",
    in: "cookie",
    name: "token",
    description: "Session cookie set at sign-in",
  },
  scim: { type: "http", scheme: "bearer", description: "`SCIM_TOKEN`, for SCIM only" },
}
const anyCredential = [{ bearer: [] }, { api_key: [] }, { cookie: [] }]

const credentialsFor = (access: Access): Json[] => {
  if (access === "anyone") return []
  return access === "provisioner" ? [{ scim: [] }] : anyCredential
}

/** Methods under which a route for all methods is described. */
const allMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]

const methodsOf = ({ method }: MountedRoute): string[] => (method === "ALL" ? allMethods : [method])

/** Converts `/models/:id{.+}` to `/models/{id}`; a trailing `*` becomes `{path}`. */
const templateOf = (path: string): string =>
  path.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}").replace(/\*$/, "{path}")

/** Excludes routes that only return errors, such as the fallback below a prefix. */
const hasSuccessResponse = ({ shape }: MountedRoute): boolean =>
  Object.keys(shape.responses).some((status) => status.startsWith("2"))

const tagOf = ({ method, path, style }: MountedRoute): string => {
  if (method === "ALL") return "Proxies"
  if (style === "openai" && path.startsWith("/v1")) return "OpenAI-style"
  if (style === "openai") return "OpenAI-style: aliases"
  if (style === "anthropic") return path.startsWith("/v1") ? "Anthropic" : "Anthropic: aliases"
  if (style === "scim") return "SCIM"
  return /^\/api\/v1\/([^/]+)/.exec(path)?.[1] ?? "Operations"
}

const ObjectSchema = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
})

/** OpenAPI parameters of a path or query schema. */
const parametersIn = (place: "path" | "query", schema: JsonSchema): Json[] => {
  const { properties, required } = ObjectSchema.parse(schema)
  return Object.entries(properties).map(([name, inner]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: inner,
  }))
}

/** Schema type of a body without a declared schema. */
const typeOf = (contentType: string): string => (contentType.endsWith("json") ? "object" : "string")

const createDescriber = ({ describe }: SchemaComponents) => {
  const content = (schema: RouteShape["body"], direction: SchemaDirection, type: string) => ({
    [type]: { schema: schema ? describe(schema, direction) : { type: typeOf(type) } },
  })

  const errorResponse = ({ style }: MountedRoute, description: string): ResponseDescription => ({
    description,
    content: content(errorSchemas[style], "output", contentTypeOf(style)),
  })

  /** Errors that any such route can return, in addition to its declared responses. */
  const defaultErrors = (route: MountedRoute): Record<string, ResponseDescription> => {
    const { access, params, query, rawBody } = route.shape
    const body = route.shape.body ?? rawBody
    const defaults: [claim: unknown, status: number, description: string][] = [
      [body, 400, "The body is not valid JSON"],
      [access !== "anyone", 401, "Missing or invalid credential"],
      [access !== "anyone", 403, "Not allowed for this account or key"],
      [params, 404, "Not found, or not visible to you"],
      [body, 413, "The body is too large"],
      [params ?? query ?? body, 422, "Invalid request; see `errors` for the fields"],
      [access !== "anyone", 503, "The database is unavailable"],
    ]
    // Other protocols report invalid fields with 400.
    const isApiStyle = route.style === "api"
    const applicable = defaults.filter(([claim, status]) => claim && (status !== 422 || isApiStyle))
    const described = applicable.map(([, status, description]) => [
      status,
      errorResponse(route, description),
    ])
    return { ...Object.fromEntries(described), default: errorResponse(route, "Any other error") }
  }
  const headersOf = ({ headers }: ResponseDeclaration): Pick<ResponseDescription, "headers"> => {
    if (!headers) return {}
    const described = Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: "string" } },
    ])
    return { headers: Object.fromEntries(described) }
  }

  const reply = (
    route: MountedRoute,
    status: number,
    shape: ResponseDeclaration,
  ): ResponseDescription => {
    const { description, schema, contentType } = shape
    if (schema || contentType) {
      return {
        description,
        ...headersOf(shape),
        content: content(schema, "output", contentType ?? contentTypeOf(route.style)),
      }
    }
    return {
      ...(status >= 400 ? errorResponse(route, description) : { description }),
      ...headersOf(shape),
    }
  }

  const parametersOf = ({ path, shape }: MountedRoute): Json[] => {
    const declared = shape.params ? parametersIn("path", describe(shape.params, "input")) : []
    const names = [...templateOf(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const inPath = names.map(
      (name) =>
        declared.find((parameter) => parameter.name === name) ?? {
          name,
          in: "path",
          required: true,
          schema: { type: "string" },
        },
    )
    const inQuery = shape.query ? parametersIn("query", describe(shape.query, "input")) : []
    return [...inPath, ...inQuery]
  }

  const responsesOf = (route: MountedRoute): Record<string, ResponseDescription> => {
    const responses = defaultErrors(route)
    for (const [status, shape] of Object.entries(route.shape.responses)) {
      const declared = reply(route, Number(status), shape)
      // A declared 403 extends the default description; other declared statuses replace it.
      const usual = status === "403" ? responses[status] : undefined
      const description = [usual?.description, declared.description].filter(Boolean).join("; or: ")
      responses[status] = { ...declared, description }
    }
    return responses
  }

  return (route: MountedRoute, method: string): Json => {
    const { access, summary, body, rawBody } = route.shape
    const parameters = parametersOf(route)
    return {
      operationId: `${method} ${templateOf(route.path)}`.toLowerCase().replace(/\W+/g, "_"),
      tags: [tagOf(route)],
      summary,
      description: accessDescriptions[access],
      security: credentialsFor(access),
      ...(parameters.length > 0 && { parameters }),
      ...(body && {
        requestBody: {
          required: !body.safeParse({}).success,
          content: content(body, "input", contentTypeOf(route.style)),
        },
      }),
      ...(rawBody && {
        requestBody: {
          required: true,
          content: content(rawBody.schema, "input", rawBody.contentType),
        },
      }),
      responses: responsesOf(route),
    }
  }
}

/** The OpenAPI 3.1 document of all routes, generated from their shapes. */
export const createOpenApiDocument = (routes: readonly MountedRoute[], version: string): Json => {
  const components = createSchemaComponents()
  const describe = createDescriber(components)
  const paths: Record<string, Json> = {}
  for (const route of routes.filter(hasSuccessResponse)) {
    for (const method of methodsOf(route)) {
      const path = templateOf(route.path)
      paths[path] = { ...paths[path], [method.toLowerCase()]: describe(route, method) }
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Portico", version, description: introduction, license: { name: "MIT" } },
    servers: [{ url: "/" }],
    paths: components.complete(paths),
    components: { schemas: components.schemas(), securitySchemes },
  }
}
