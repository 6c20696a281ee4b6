import { DeletionConfirmation, InUseError } from "../http/in-use.ts"
import { IdParams, Page } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import {
  ConnectionChanges,
  ConnectionTestResult,
  ConnectionView,
  NewConnection,
  ProviderInfo,
} from "./schema.ts"

const notFound = { description: "Connection not found" }
const fromEnvironment = { description: "The connection is configured by environment variables" }

export const connectionRoutes = {
  list: route("get", "/api/v1/connections", {
    access: "admin",
    summary: "List connections with their health; secrets are masked",
    responses: { 200: json(Page(ConnectionView), "All connections, in their order") },
  }),
  providers: route("get", "/api/v1/connections/providers", {
    access: "admin",
    summary: "List the kinds of providers",
    responses: { 200: json(Page(ProviderInfo), "All kinds of providers") },
  }),
  create: route("post", "/api/v1/connections/create", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Create a connection",
    body: NewConnection,
    responses: { 200: json(ConnectionView, "The new connection") },
  }),
  testNew: route("post", "/api/v1/connections/test", {
    access: "admin",
    grantsPrivileges: false,
    summary: "Test connection settings without saving them",
    body: NewConnection,
    responses: { 200: json(ConnectionTestResult, "The result of the test") },
  }),
  get: route("get", "/api/v1/connections/:id", {
    access: "admin",
    summary: "Get a connection",
    params: IdParams,
    responses: { 200: json(ConnectionView, "The connection"), 404: notFound },
  }),
  update: route("post", "/api/v1/connections/:id/update", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Update a connection; omitted fields, including the key, keep their values",
    params: IdParams,
    body: ConnectionChanges,
    responses: {
      200: json(ConnectionView, "The updated connection"),
      404: notFound,
      409: fromEnvironment,
    },
  }),
  test: route("post", "/api/v1/connections/:id/test", {
    access: "admin",
    grantsPrivileges: false,
    summary: "Test a saved connection",
    params: IdParams,
    responses: { 200: json(ConnectionTestResult, "The result of the test"), 404: notFound },
  }),
  remove: route("delete", "/api/v1/connections/:id", {
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
  }),
}
