import { parseProjectionQuery, parseSearchBody, parseSearchQuery } from "@portico/scim"
import { z } from "zod"
import { fail } from "../errors.ts"
import { IdParams } from "../http/pagination.ts"
import type { RequestContext } from "../http/request-context.ts"
import { type ResponseDeclaration, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { ScimAudit } from "./audit.ts"
import type { FindBaseUrl } from "./base-url.ts"
import { addDiscoveryRoutes } from "./discovery-router.ts"
import { parseScimQuery, readScimBody } from "./read-request.ts"
import type { ResourceView, ResponseShape, ScimResource } from "./resource.ts"
import { createScimResponse } from "./response.ts"
import { searchResources } from "./search.ts"
import { addUnsupportedPathRoutes } from "./unsupported-paths.ts"

interface Deps {
  router: Router
  resources: readonly ScimResource[]
  audit: ScimAudit
  baseUrlOf: FindBaseUrl
}

const contentType = "application/scim+json"
/** For the API documentation only; see the RFC and `/Schemas` for a resource's attributes. */
const reads = { contentType, schema: z.looseObject({ schemas: z.array(z.string()) }) }
const reply = (description: string): ResponseDeclaration => ({ description, contentType })
const errorReply = (description: string): ResponseDeclaration => ({ description })

/** Routes below `/api/v1/scim/v2`; the last one handles all undeclared paths. */
export const createScimRouter = ({ router, resources, audit, baseUrlOf }: Deps): Router => {
  const responseShapeOf = (context: RequestContext): ResponseShape => ({
    projection: parseProjectionQuery(parseScimQuery(context)),
    base: baseUrlOf(context),
  })

  const addSearchRoute = (path: string, searched: readonly ResourceView[], action: string): void =>
    router.on(
      route("post", path, {
        access: "provisioner",
        summary: "Search, with the query in the body",
        rawBody: reads,
        responses: { 200: reply("A ListResponse"), 400: errorReply("Invalid filter or value") },
      }),
      ({ actor, context }) =>
        audit.auditRead({ actor, action }, async () => {
          const request = parseSearchBody(await readScimBody(context))
          return createScimResponse(await searchResources(searched, request, baseUrlOf(context)))
        }),
    )

  const addResourceRoutes = ({ view, operations }: ScimResource): void => {
    const { name, endpoint, table } = view.type
    const noun = name.toLowerCase()
    const listed = `scim.${table}.listed`

    router.on(
      route("get", `/${endpoint}`, {
        access: "provisioner",
        summary: `List ${table}, filtered and sorted`,
        responses: { 200: reply("A ListResponse"), 400: errorReply("Invalid filter or value") },
      }),
      ({ actor, context }) =>
        audit.auditRead({ actor, action: listed }, async () => {
          const request = parseSearchQuery(parseScimQuery(context))
          return createScimResponse(await searchResources([view], request, baseUrlOf(context)))
        }),
    )
    router.on(
      route("post", `/${endpoint}`, {
        access: "provisioner",
        summary: `Create a ${noun}`,
        rawBody: reads,
        responses: {
          201: reply(`The new ${noun}`),
          400: errorReply("Missing or invalid value"),
          409: errorReply("The name is already in use"),
        },
      }),
      ({ actor, context }) =>
        audit.auditChange({ actor, action: `scim.${noun}.created` }, async () => {
          const body = await readScimBody(context)
          const { projection, base } = responseShapeOf(context)
          const created = await operations.create(actor, body, { projection, base })
          const location = `${base}/${endpoint}/${created.id}`
          return createScimResponse(created, 201, { location })
        }),
    )
    addSearchRoute(`/${endpoint}/.search`, [view], listed)

    router.on(
      route("get", `/${endpoint}/:id`, {
        access: "provisioner",
        summary: `Get a ${noun}`,
        params: IdParams,
        responses: { 200: reply(`The ${noun}`), 404: errorReply(`No such ${noun}`) },
      }),
      ({ actor, context, params: { id } }) =>
        audit.auditRead(
          { actor, action: `scim.${noun}.read`, target: { type: noun, id } },
          async () => {
            const found = await view.findOne(id, responseShapeOf(context))
            return createScimResponse(found ?? fail("not_found", `${name} ${id} not found.`))
          },
        ),
    )
    const changing = [
      ["put", "replaced", `Replace a ${noun}`, operations.replace],
      ["patch", "patched", `Update attributes of a ${noun}`, operations.patch],
    ] as const
    for (const [method, done, summary, change] of changing) {
      const action = `scim.${noun}.${done}`
      router.on(
        route(method, `/${endpoint}/:id`, {
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
        }),
        ({ actor, context, params: { id } }) =>
          audit.auditChange({ actor, action, target: { type: noun, id } }, async () => {
            const body = await readScimBody(context)
            return createScimResponse(await change(actor, id, body, responseShapeOf(context)))
          }),
      )
    }
    router.on(
      route("delete", `/${endpoint}/:id`, {
        access: "provisioner",
        summary: noun === "user" ? "Deactivate a user" : "Delete a group",
        params: IdParams,
        responses: { 204: errorReply("Done"), 404: errorReply(`No such ${noun}`) },
      }),
      ({ actor, params: { id } }) =>
        audit.auditChange(
          { actor, action: `scim.${noun}.deleted`, target: { type: noun, id } },
          () => operations.remove(actor, id),
        ),
    )
  }

  for (const resource of resources) addResourceRoutes(resource)
  const views = resources.map(({ view }) => view)
  addSearchRoute("/.search", views, "scim.resources.listed")
  addDiscoveryRoutes({ router, audit, baseUrlOf })

  addUnsupportedPathRoutes(router, audit)
  return router
}
