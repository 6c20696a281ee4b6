import { fail } from "../errors.ts"
import { pathOf } from "../http/request-context.ts"
import { type RouteShape, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { ScimAudit } from "./audit.ts"
import { scimPath } from "./base-url.ts"

const unsupportedEndpoints = new Set(["Me", "Bulk"])

const segmentsOf = (path: string): string[] => path.split("/").filter(Boolean)

const matchesRoute = ({ path }: RouteShape, segments: readonly string[]): boolean => {
  const pattern = segmentsOf(path)
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => part.startsWith(":") || part === segments[index])
  )
}

/** Handles all paths without a route; requires authentication like every other route. */
export const addUnsupportedPathRoutes = (router: Router, audit: ScimAudit): void => {
  const declared = [...router.shapes]

  const refuse = (path: string, method = ""): never => {
    const segments = segmentsOf(path.slice(scimPath.length))
    if (unsupportedEndpoints.has(segments[0] ?? ""))
      fail("not_implemented", `${path} is not supported.`)
    const allowed = declared.filter((shape) => matchesRoute(shape, segments))
    if (allowed.length === 0) fail("not_found", `${path} not found.`)
    const allow = [...new Set(allowed.map((shape) => shape.method.toUpperCase()))].join(", ")
    return fail("method_not_allowed", `${method} is not allowed for ${path}. Use ${allow}.`, {
      headers: { allow },
    })
  }

  router.on(
    route("all", "/*", {
      access: "provisioner",
      summary: "Unsupported paths, including /Me and /Bulk",
      responses: {
        404: { description: "Not found" },
        405: { description: "Method not allowed; see `Allow`" },
        501: { description: "Not supported" },
      },
    }),
    ({ actor, context }) =>
      audit.auditChange({ actor, action: "scim.refused" }, async () =>
        refuse(pathOf(context.incoming.url), context.incoming.method),
      ),
  )
}
