import { listResponse, type ResourceType, resourceTypeJson, schemaJson } from "@portico/scim"
import { z } from "zod"
import { fail } from "../errors.ts"
import { route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { ScimAudit } from "./audit.ts"
import type { FindBaseUrl } from "./base-url.ts"
import { parseScimQuery } from "./read-request.ts"
import { findResourceType, findSchema, resourceTypes } from "./resource-types.ts"
import { createScimResponse } from "./response.ts"
import { serviceProviderConfig } from "./service-provider-config.ts"

const ByName = z.object({ name: z.string().max(200) })
const contentType = "application/scim+json"

interface Deps {
  router: Router
  audit: ScimAudit
  baseUrlOf: FindBaseUrl
}

type DescribeResourceType = (type: ResourceType, base: string) => Record<string, unknown>

/** Discovery endpoints (RFC 7644 §4): capabilities, resource types and schemas. */
export const addDiscoveryRoutes = ({ router, audit, baseUrlOf }: Deps): void => {
  router.on(
    route("get", "/ServiceProviderConfig", {
      access: "provisioner",
      summary: "Get the service provider configuration",
      responses: { 200: { description: "The service provider configuration", contentType } },
    }),
    ({ actor, context }) =>
      audit.auditRead({ actor, action: "scim.config.read" }, async () =>
        createScimResponse(serviceProviderConfig(baseUrlOf(context))),
      ),
  )

  const addListAndGetRoutes = (
    path: string,
    {
      action,
      find,
      describe,
    }: {
      action: string
      find: (name: string) => ResourceType | undefined
      describe: DescribeResourceType
    },
  ): void => {
    router.on(
      route("get", path, {
        access: "provisioner",
        summary: `List all ${path.slice(1)}; filters are not supported`,
        responses: { 200: { description: "A ListResponse", contentType } },
      }),
      ({ actor, context }) =>
        audit.auditRead({ actor, action }, async () => {
          if (parseScimQuery(context).has("filter"))
            fail("forbidden", `${path} does not support filters.`)
          const all = resourceTypes.map((type) => describe(type, baseUrlOf(context)))
          return createScimResponse(listResponse(all, { total: all.length, startIndex: 1 }))
        }),
    )
    router.on(
      route("get", `${path}/:name`, {
        access: "provisioner",
        summary: `Get one of the ${path.slice(1)}`,
        params: ByName,
        responses: { 200: { description: "The one", contentType }, 404: { description: "None" } },
      }),
      ({ actor, context, params }) =>
        audit.auditRead({ actor, action }, async () => {
          const type = find(params.name) ?? fail("not_found", `${params.name} not found.`)
          return createScimResponse(describe(type, baseUrlOf(context)))
        }),
    )
  }

  addListAndGetRoutes("/ResourceTypes", {
    action: "scim.resource_types.read",
    find: findResourceType,
    describe: resourceTypeJson,
  })
  addListAndGetRoutes("/Schemas", {
    action: "scim.schemas.read",
    find: findSchema,
    describe: schemaJson,
  })
}
