import { z } from "zod"
import type { Actor } from "../http/caller.ts"
import { ById } from "../http/pagination.ts"
import type { Exchange } from "../http/request-context.ts"
import { type Method, type ReplyShape, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Trail } from "./audit.ts"
import { discoveryRoutes } from "./discovery-routes.ts"
import type { ScimGroups } from "./groups.ts"
import type { Shape, View, Views } from "./mappers.ts"
import type { Json } from "./projection.ts"
import { queryOf, readBody } from "./request-body.ts"
import type { ResourceType } from "./resource-types.ts"
import { type createBaseOf, scimReply } from "./response.ts"
import { search } from "./search.ts"
import { projectionOfQuery, searchOfBody, searchOfQuery } from "./search-query.ts"
import { otherPaths } from "./unsupported-paths.ts"
import type { ScimUsers } from "./users.ts"

interface Deps {
  router: Router
  users: ScimUsers
  groups: ScimGroups
  views: Views
  trail: Trail
  baseOf: ReturnType<typeof createBaseOf>
}

/** The operations on one resource type. */
interface Kind {
  type: ResourceType
  view: View
  get: (id: string, shape: Shape) => Promise<Json>
  create: (actor: Actor, body: unknown, shape: Shape) => Promise<Json>
  replace: (actor: Actor, id: string, body: unknown, shape: Shape) => Promise<Json>
  patch: (actor: Actor, id: string, body: unknown, shape: Shape) => Promise<Json>
  remove: (actor: Actor, id: string) => Promise<void>
}

const contentType = "application/scim+json"
/** For the API documentation only; see the RFC and `/Schemas` for a resource's attributes. */
const reads = { contentType, schema: z.looseObject({ schemas: z.array(z.string()) }) }
const reply = (description: string): ReplyShape => ({ description, contentType })
const refusal = (description: string): ReplyShape => ({ description })

const locationOf = ({ meta }: Json): Record<string, string> =>
  typeof meta === "object" && meta !== null && "location" in meta
    ? { location: String(meta.location) }
    : {}

/** Routes below `/api/v1/scim/v2`; the last one handles all undeclared paths. */
export const scimRoutes = ({ router, users, groups, views, trail, baseOf }: Deps): Router => {
  const shapeOf = (exchange: Exchange): Shape => ({
    projection: projectionOfQuery(queryOf(exchange)),
    base: baseOf(exchange),
  })

  const searchAll = (path: string, searched: readonly View[], action: string): void =>
    router.on(
      route("provisioner", {
        method: "post",
        path,
        summary: "Search, with the query in the body",
        reads,
        responses: { 200: reply("A ListResponse"), 400: refusal("Invalid filter or value") },
      }),
      ({ actor, exchange }) =>
        trail.read({ actor, action }, async () => {
          const request = searchOfBody(await readBody(exchange))
          return scimReply(await search(searched, request, baseOf(exchange)))
        }),
    )

  const addKind = (kind: Kind): void => {
    const { endpoint, table } = kind.type
    const noun = kind.type.name.toLowerCase()
    const listed = `scim.${table}.listed`

    router.on(
      route("provisioner", {
        method: "get",
        path: `/${endpoint}`,
        summary: `List ${table}, filtered and sorted`,
        responses: { 200: reply("A ListResponse"), 400: refusal("Invalid filter or value") },
      }),
      ({ actor, exchange }) =>
        trail.read({ actor, action: listed }, async () => {
          const request = searchOfQuery(queryOf(exchange))
          return scimReply(await search([kind.view], request, baseOf(exchange)))
        }),
    )
    router.on(
      route("provisioner", {
        method: "post",
        path: `/${endpoint}`,
        summary: `Create a ${noun}`,
        reads,
        responses: {
          201: reply(`The new ${noun}`),
          400: refusal("Missing or invalid value"),
          409: refusal("The name is already in use"),
        },
      }),
      ({ actor, exchange }) =>
        trail.change({ actor, action: `scim.${noun}.created` }, async () => {
          const body = await readBody(exchange)
          const { projection, base } = shapeOf(exchange)
          const created = await kind.create(actor, body, { projection, base })
          const location = { location: `${base}/${endpoint}/${created.id}` }
          return scimReply(created, 201, { ...location, ...locationOf(created) })
        }),
    )
    searchAll(`/${endpoint}/.search`, [kind.view], listed)

    router.on(
      route("provisioner", {
        method: "get",
        path: `/${endpoint}/:id`,
        summary: `Get a ${noun}`,
        params: ById,
        responses: { 200: reply(`The ${noun}`), 404: refusal(`No such ${noun}`) },
      }),
      ({ actor, exchange, params: { id } }) =>
        trail.read({ actor, action: `scim.${noun}.read`, target: { type: noun, id } }, async () =>
          scimReply(await kind.get(id, shapeOf(exchange))),
        ),
    )
    const changing = [
      ["put", "replaced", `Replace a ${noun}`, kind.replace],
      ["patch", "patched", `Update attributes of a ${noun}`, kind.patch],
    ] as const satisfies [Method, string, string, Kind["patch"]][]
    for (const [method, done, summary, change] of changing) {
      const action = `scim.${noun}.${done}`
      router.on(
        route("provisioner", {
          method,
          path: `/${endpoint}/:id`,
          summary,
          params: ById,
          reads,
          responses: {
            200: reply(`The updated ${noun}`),
            400: refusal("Invalid value or path"),
            403: refusal("The user is the last active administrator"),
            404: refusal(`No such ${noun}`),
            409: refusal("The name is already in use"),
          },
        }),
        ({ actor, exchange, params: { id } }) =>
          trail.change({ actor, action, target: { type: noun, id } }, async () => {
            const body = await readBody(exchange)
            return scimReply(await change(actor, id, body, shapeOf(exchange)))
          }),
      )
    }
    router.on(
      route("provisioner", {
        method: "delete",
        path: `/${endpoint}/:id`,
        summary: noun === "user" ? "Deactivate a user" : "Delete a group",
        params: ById,
        responses: { 204: refusal("Done"), 404: refusal(`No such ${noun}`) },
      }),
      ({ actor, params: { id } }) =>
        trail.change({ actor, action: `scim.${noun}.deleted`, target: { type: noun, id } }, () =>
          kind.remove(actor, id),
        ),
    )
  }

  addKind({ type: views.users.type, view: views.users, ...users, remove: users.end })
  addKind({ type: views.groups.type, view: views.groups, ...groups })
  searchAll("/.search", [views.users, views.groups], "scim.resources.listed")
  discoveryRoutes({ router, trail, baseOf })

  otherPaths(router, trail)
  return router
}
