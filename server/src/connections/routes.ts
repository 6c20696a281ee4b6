import { DeletionConfirmation, InUseError } from "../http/in-use.ts"
import { IdParams, Page, toSinglePage } from "../http/pagination.ts"
import { json, success } from "../http/route.ts"
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
  router.on("get", "/", {
    access: "admin",
    summary: "List connections with their health; secrets are masked",
    responses: { 200: json(Page(Connection), "All connections, in their order") },
    handle: async () => toSinglePage(await connections.list()),
  })
  router.on("get", "/providers", {
    access: "admin",
    summary: "List the kinds of providers",
    responses: { 200: json(Page(ProviderInfo), "All kinds of providers") },
    handle: () => toSinglePage(connections.listProviders()),
  })
  router.on("post", "/create", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Create a connection",
    body: NewConnection,
    responses: { 200: json(Connection, "The new connection") },
    handle: ({ actor, body }) => connections.create(actor, body),
  })
  router.on("post", "/test", {
    access: "admin",
    grantsPrivileges: false,
    summary: "Test connection settings without saving them",
    body: NewConnection,
    responses: { 200: json(ConnectionTestResult, "The result of the test") },
    handle: ({ body }) => connections.test(body),
  })
  router.on("get", "/:id", {
    access: "admin",
    summary: "Get a connection",
    params: IdParams,
    responses: { 200: json(Connection, "The connection"), 404: notFound },
    handle: ({ params }) => connections.get(params.id),
  })
  router.on("post", "/:id/update", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Update a connection; omitted fields, including the key, keep their values",
    params: IdParams,
    body: ConnectionChanges,
    responses: {
      200: json(Connection, "The updated connection"),
      404: notFound,
      409: fromEnvironment,
    },
    handle: ({ actor, params, body }) => connections.update(actor, params.id, body),
  })
  router.on("post", "/:id/test", {
    access: "admin",
    grantsPrivileges: false,
    summary: "Test a saved connection",
    params: IdParams,
    responses: { 200: json(ConnectionTestResult, "The result of the test"), 404: notFound },
    handle: async ({ params }) => connections.test(await connections.getConfig(params.id)),
  })
  router.on("delete", "/:id", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Delete a connection",
    params: IdParams,
    query: DeletionConfirmation,
    responses: {
      200: success("The connection was deleted"),
      404: notFound,
      409: json(InUseError, "Models need it and nothing was confirmed, or the environment sets it"),
    },
    handle: ({ actor, params, query }) => connections.remove(actor, params.id, query),
  })
  return router
}
