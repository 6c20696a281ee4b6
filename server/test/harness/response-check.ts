import { expect } from "vitest"
import { errorSchemas } from "../../src/api-docs/error-schemas.ts"
import { type MountedRoute, patternOf } from "../../src/http/server.ts"

interface ReceivedResponse {
  method: string
  /** With its query. */
  path: string
  status: number
  /** Parsed JSON. */
  body: unknown
}

const parameterCount = ({ path }: MountedRoute): number => path.split(/[:*]/).length

/** Checks that a JSON response has exactly the members that its route declares for its status. */
export const createResponseCheck = (routes: readonly MountedRoute[]) => {
  const bySpecificity = routes.toSorted((one, other) => parameterCount(one) - parameterCount(other))
  const patterns = bySpecificity.map((route) => ({ route, pattern: patternOf(route.path) }))

  const findRoute = (method: string, path: string): MountedRoute | undefined => {
    const [pathname = ""] = path.split("?")
    const trimmed = pathname.replace(/\/+$/, "")
    return patterns.find(
      ({ route, pattern }) =>
        route.method === method && (pattern.test(pathname) || pattern.test(trimmed)),
    )?.route
  }

  return ({ method, path, status, body }: ReceivedResponse): void => {
    const route = findRoute(method, path)
    if (!route) return
    const declared = route.shape.responses[status]?.schema
    // Errors of the other styles may be those of a provider.
    const errorSchema = route.style === "api" ? (declared ?? errorSchemas.api) : undefined
    const schema = status < 400 ? declared : errorSchema
    // A parsed object lacks the members that its schema lacks, so equality means that the response
    // has none that are undocumented.
    if (schema) expect(schema.parse(body), `${method} ${path}, ${status}`).toEqual(body)
  }
}
