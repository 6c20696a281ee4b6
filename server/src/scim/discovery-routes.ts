import { z } from "zod"
import { fail } from "../errors.ts"
import { route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Trail } from "./audit.ts"
import {
  resourceTypeJson,
  resourceTypeNamed,
  schemaJson,
  schemaWithUrn,
  serviceProviderConfig,
} from "./discovery.ts"
import { maxBytes, queryOf } from "./request-body.ts"
import { type ResourceType, resourceTypes } from "./resource-types.ts"
import { type createBaseOf, scimReply } from "./response.ts"
import { listResponse } from "./search.ts"

const advisedOperations = 1000

const ByName = z.object({ name: z.string().max(200) })
const contentType = "application/scim+json"

interface Deps {
  router: Router
  trail: Trail
  baseOf: ReturnType<typeof createBaseOf>
}

type Describe = (type: ResourceType, base: string) => Record<string, unknown>

/** Discovery endpoints (RFC 7644 §4): capabilities, resource types and schemas. */
export const discoveryRoutes = ({ router, trail, baseOf }: Deps): void => {
  router.on(
    route("provisioner", {
      method: "get",
      path: "/ServiceProviderConfig",
      summary: "Get the service provider configuration",
      responses: { 200: { description: "The service provider configuration", contentType } },
    }),
    ({ actor, exchange }) =>
      trail.read({ actor, action: "scim.config.read" }, async () => {
        const limits = { maxOperations: advisedOperations, maxPayloadSize: maxBytes }
        return scimReply(serviceProviderConfig(baseOf(exchange), limits))
      }),
  )

  const addTable = (
    path: string,
    {
      action,
      find,
      describe,
    }: { action: string; find: (name: string) => ResourceType | undefined; describe: Describe },
  ): void => {
    router.on(
      route("provisioner", {
        method: "get",
        path,
        summary: `List all ${path.slice(1)}; filters are not supported`,
        responses: { 200: { description: "A ListResponse", contentType } },
      }),
      ({ actor, exchange }) =>
        trail.read({ actor, action }, async () => {
          if (queryOf(exchange).has("filter"))
            fail("forbidden", `${path} does not support filters.`)
          const all = resourceTypes.map((type) => describe(type, baseOf(exchange)))
          return scimReply(listResponse(all, { total: all.length, startIndex: 1 }))
        }),
    )
    router.on(
      route("provisioner", {
        method: "get",
        path: `${path}/:name`,
        summary: `Get one of the ${path.slice(1)}`,
        params: ByName,
        responses: { 200: { description: "The one", contentType }, 404: { description: "None" } },
      }),
      ({ actor, exchange, params }) =>
        trail.read({ actor, action }, async () => {
          const type = find(params.name) ?? fail("not_found", `${params.name} not found.`)
          return scimReply(describe(type, baseOf(exchange)))
        }),
    )
  }

  addTable("/ResourceTypes", {
    action: "scim.resource_types.read",
    find: resourceTypeNamed,
    describe: resourceTypeJson,
  })
  addTable("/Schemas", { action: "scim.schemas.read", find: schemaWithUrn, describe: schemaJson })
}
