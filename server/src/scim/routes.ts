import {
  parseProjectionQuery,
  parseSearchBody,
  parseSearchQuery,
  type ResourceType,
  type ScimJson,
} from "@portico/scim"
import { z } from "zod"
import type { Actor } from "../http/caller.ts"
import { IdParams } from "../http/pagination.ts"
import type { RequestContext } from "../http/request-context.ts"
import type { Method, ResponseDeclaration } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { ScimAudit } from "./audit.ts"
import { discoveryRoutes } from "./discovery-routes.ts"
import type { ScimGroups } from "./groups.ts"
import { parseQuery, readScimBody } from "./request-body.ts"
import type { ResourceView, ResourceViews, ResponseShape } from "./resource-view.ts"
import { type createBaseUrlResolver, createScimResponse } from "./response.ts"
import { searchResources } from "./search.ts"
import { unsupportedPathRoutes } from "./unsupported-paths.ts"
import type { ScimUsers } from "./users.ts"

interface Deps {
  router: Router
  users: ScimUsers
  groups: ScimGroups
  views: ResourceViews
  audit: ScimAudit
  baseUrlOf: ReturnType<typeof createBaseUrlResolver>
}

/** The operations on one resource type. */
interface ResourceRoutes {
  type: ResourceType
  view: ResourceView
  get: (id: string, shape: ResponseShape) => Promise<ScimJson>
  create: (actor: Actor, body: unknown, shape: ResponseShape) => Promise<ScimJson>
  replace: (actor: Actor, id: string, body: unknown, shape: ResponseShape) => Promise<ScimJson>
  patch: (actor: Actor, id: string, body: unknown, shape: ResponseShape) => Promise<ScimJson>
  remove: (actor: Actor, id: string) => Promise<void>
}

const contentType = "application/scim+json"
/** For the API documentation only; see the RFC and `/Schemas` for a resource's attributes. */
const reads = { contentType, schema: z.looseObject({ schemas: z.array(z.string()) }) }
const reply = (description: string): ResponseDeclaration => ({ description, contentType })
const errorReply = (description: string): ResponseDeclaration => ({ description })

const locationOf = ({ meta }: ScimJson): Record<string, string> =>
  typeof meta === "object" && meta !== null && "location" in meta
    ? { location: String(meta.location) }
    : {}

/** Routes below `/api/v1/scim/v2`; the last one handles all undeclared paths. */
export const scimRoutes = ({ router, users, groups, views, audit, baseUrlOf }: Deps): Router => {
  const responseShapeOf = (exchange: RequestContext): ResponseShape => ({
    projection: parseProjectionQuery(parseQuery(exchange)),
    base: baseUrlOf(exchange),
  })

  const addSearchRoute = (path: string, searched: readonly ResourceView[], action: string): void =>
    router.on("post", path, {
      access: "provisioner",
      summary: "Search, with the query in the body",
      rawBody: reads,
      responses: { 200: reply("A ListResponse"), 400: errorReply("Invalid filter or value") },
      handle: ({ actor, exchange }) =>
        audit.auditRead({ actor, action }, async () => {
          const request = parseSearchBody(await readScimBody(exchange))
          return createScimResponse(await searchResources(searched, request, baseUrlOf(exchange)))
        }),
    })

  const addResourceRoutes = (resource: ResourceRoutes): void => {
    const { endpoint, table } = resource.type
    const noun = resource.type.name.toLowerCase()
    const listed = `scim.${table}.listed`

    router.on("get", `/${endpoint}`, {
      access: "provisioner",
      summary: `List ${table}, filtered and sorted`,
      responses: { 200: reply("A ListResponse"), 400: errorReply("Invalid filter or value") },
      handle: ({ actor, exchange }) =>
        audit.auditRead({ actor, action: listed }, async () => {
          const request = parseSearchQuery(parseQuery(exchange))
          return createScimResponse(
            await searchResources([resource.view], request, baseUrlOf(exchange)),
          )
        }),
    })
    router.on("post", `/${endpoint}`, {
      access: "provisioner",
      summary: `Create a ${noun}`,
      rawBody: reads,
      responses: {
        201: reply(`The new ${noun}`),
        400: errorReply("Missing or invalid value"),
        409: errorReply("The name is already in use"),
      },
      handle: ({ actor, exchange }) =>
        audit.auditChange({ actor, action: `scim.${noun}.created` }, async () => {
          const body = await readScimBody(exchange)
          const { projection, base } = responseShapeOf(exchange)
          const created = await resource.create(actor, body, { projection, base })
          const location = { location: `${base}/${endpoint}/${created.id}` }
          return createScimResponse(created, 201, { ...location, ...locationOf(created) })
        }),
    })
    addSearchRoute(`/${endpoint}/.search`, [resource.view], listed)

    router.on("get", `/${endpoint}/:id`, {
      access: "provisioner",
      summary: `Get a ${noun}`,
      params: IdParams,
      responses: { 200: reply(`The ${noun}`), 404: errorReply(`No such ${noun}`) },
      handle: ({ actor, exchange, params: { id } }) =>
        audit.auditRead(
          { actor, action: `scim.${noun}.read`, target: { type: noun, id } },
          async () => createScimResponse(await resource.get(id, responseShapeOf(exchange))),
        ),
    })
    const changing = [
      ["put", "replaced", `Replace a ${noun}`, resource.replace],
      ["patch", "patched", `Update attributes of a ${noun}`, resource.patch],
    ] as const satisfies [Method, string, string, ResourceRoutes["patch"]][]
    for (const [method, done, summary, change] of changing) {
      const action = `scim.${noun}.${done}`
      router.on(method, `/${endpoint}/:id`, {
        access: "provisioner",
        summary,
        params: IdParams,
        rawBody: reads,
        responses: {
          200: reply(`The updated ${noun}`),
          400: errorReply("Invalid value or path"),
          403: errorReply("The user is the last active administrator"),
          404: errorReply(`No such ${noun}`),
          409: errorReply("The name is already in use"),
        },
        handle: ({ actor, exchange, params: { id } }) =>
          audit.auditChange({ actor, action, target: { type: noun, id } }, async () => {
            const body = await readScimBody(exchange)
            return createScimResponse(await change(actor, id, body, responseShapeOf(exchange)))
          }),
      })
    }
    router.on("delete", `/${endpoint}/:id`, {
      access: "provisioner",
      summary: noun === "user" ? "Deactivate a user" : "Delete a group",
      params: IdParams,
      responses: { 204: errorReply("Done"), 404: errorReply(`No such ${noun}`) },
      handle: ({ actor, params: { id } }) =>
        audit.auditChange(
          { actor, action: `scim.${noun}.deleted`, target: { type: noun, id } },
          () => resource.remove(actor, id),
        ),
    })
  }

  addResourceRoutes({
    type: views.users.type,
    view: views.users,
    ...users,
    remove: users.deactivate,
  })
  addResourceRoutes({ type: views.groups.type, view: views.groups, ...groups })
  addSearchRoute("/.search", [views.users, views.groups], "scim.resources.listed")
  discoveryRoutes({ router, audit, baseUrlOf })

  unsupportedPathRoutes(router, audit)
  return router
}
