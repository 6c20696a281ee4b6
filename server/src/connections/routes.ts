import { IdParams, Page, SuccessStatus, successBody } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Connections } from "./connections.ts"
import {
  Connection,
  ConnectionChanges,
  ConnectionTestResult,
  NewConnection,
  ProviderInfo,
} from "./schema.ts"

const notFound = { description: "Connection not found" }
const fromEnvironment = { description: "The connection is configured by environment variables" }

export const connectionRoutes = (router: Router, connections: Connections): Router => {
  router.on(
    route("admin", {
      method: "get",
      path: "/",
      summary: "List connections with their health; secrets are masked",
      responses: { 200: json(Page(Connection), "All connections, in their order") },
    }),
    async () => {
      const items = await connections.list()
      return { items, total: items.length }
    },
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/providers",
      summary: "List the kinds of providers",
      responses: { 200: json(Page(ProviderInfo), "All kinds of providers") },
    }),
    () => {
      const items = connections.listProviders()
      return { items, total: items.length }
    },
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/create",
      grantsPrivileges: true,
      summary: "Create a connection",
      body: NewConnection,
      responses: { 200: json(Connection, "The new connection") },
    }),
    ({ actor, body }) => connections.create(actor, body),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/test",
      grantsPrivileges: false,
      summary: "Test connection settings without saving them",
      body: NewConnection,
      responses: { 200: json(ConnectionTestResult, "The result of the test") },
    }),
    ({ body }) => connections.test(body),
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/:id",
      summary: "Get a connection",
      params: IdParams,
      responses: { 200: json(Connection, "The connection"), 404: notFound },
    }),
    ({ params }) => connections.get(params.id),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/:id/update",
      grantsPrivileges: true,
      summary: "Update a connection; omitted fields, including the key, keep their values",
      params: IdParams,
      body: ConnectionChanges,
      responses: {
        200: json(Connection, "The updated connection"),
        404: notFound,
        409: fromEnvironment,
      },
    }),
    ({ actor, params, body }) => connections.update(actor, params.id, body),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/:id/test",
      grantsPrivileges: false,
      summary: "Test a saved connection",
      params: IdParams,
      responses: { 200: json(ConnectionTestResult, "The result of the test"), 404: notFound },
    }),
    async ({ params }) => connections.test(await connections.getConfig(params.id)),
  )
  router.on(
    route("admin", {
      method: "delete",
      path: "/:id",
      grantsPrivileges: true,
      summary: "Delete a connection",
      params: IdParams,
      responses: {
        200: json(SuccessStatus, "The connection was deleted"),
        404: notFound,
        409: fromEnvironment,
      },
    }),
    async ({ actor, params }) => {
      await connections.remove(actor, params.id)
      return successBody
    },
  )
  return router
}
