import { z } from "zod"
import { IdParams, Page } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import { FunctionListItem } from "./run-schema.ts"
import {
  CheckedSource,
  FunctionChanges,
  FunctionExport,
  FunctionImport,
  FunctionImportResult,
  FunctionRecord,
  FunctionValves,
  FunctionVersion,
  FunctionVersionSource,
  maxContent,
  NewFunction,
  ValveChanges,
} from "./schema.ts"

const notFound = { description: "Function not found" }
const badSource = { description: "The source cannot be loaded; see `errors` for line and column" }
const ByVersion = IdParams.extend({ version: z.coerce.number<string>().int().min(1) })

/** Room for multi-byte and escaped characters in a source of the maximum length. */
const sourceLimits = { maxBytes: 2_000_000 }
const importLimits = { maxBytes: 20_000_000 }

/** Routes for administrators to manage functions. */
export const functionRoutes = {
  list: route("get", "/api/v1/functions", {
    access: "admin",
    summary: "List functions",
    responses: { 200: json(Page(FunctionListItem), "All functions, without their sources") },
  }),
  create: route("post", "/api/v1/functions/create", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Create a function (initially accessible only to its creator)",
    body: NewFunction,
    bodyLimits: sourceLimits,
    responses: {
      200: json(FunctionRecord, "The new function"),
      409: { description: "The id is already in use" },
      422: badSource,
    },
  }),
  check: route("post", "/api/v1/functions/check", {
    access: "admin",
    grantsPrivileges: false,
    summary: "Validate a source without saving it",
    body: z.object({ content: z.string().max(maxContent) }),
    bodyLimits: sourceLimits,
    responses: { 200: json(CheckedSource, "The problems found; the manifest if there are none") },
  }),
  exportAll: route("get", "/api/v1/functions/export", {
    access: "admin",
    summary: "Export all functions for import elsewhere, without their settings",
    responses: { 200: json(FunctionExport, "The functions") },
  }),
  importAll: route("post", "/api/v1/functions/import", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Import functions: create or update all of them, or none",
    body: FunctionImport,
    bodyLimits: importLimits,
    responses: {
      200: json(FunctionImportResult, "The ids of created and updated functions"),
      422: badSource,
    },
  }),
  get: route("get", "/api/v1/functions/id/:id", {
    access: "admin",
    summary: "Get a function with its source",
    params: IdParams,
    responses: { 200: json(FunctionRecord, "The function"), 404: notFound },
  }),
  update: route("post", "/api/v1/functions/id/:id/update", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Update a function: omitted fields are kept, a new source becomes a new version",
    params: IdParams,
    body: FunctionChanges,
    bodyLimits: sourceLimits,
    responses: {
      200: json(FunctionRecord, "The updated function"),
      404: notFound,
      409: { description: "`version` is not the latest version" },
      422: badSource,
    },
  }),
  toggle: route("post", "/api/v1/functions/id/:id/toggle", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Enable or disable a function",
    params: IdParams,
    responses: { 200: json(FunctionRecord, "The updated function"), 404: notFound },
  }),
  remove: route("delete", "/api/v1/functions/id/:id/delete", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Delete a function with its versions, settings, runs and stored values",
    params: IdParams,
    responses: { 200: success("The function was deleted"), 404: notFound },
  }),
  valves: route("get", "/api/v1/functions/id/:id/valves", {
    access: "admin",
    summary: "Get a function's settings and their values, with secrets masked",
    params: IdParams,
    responses: { 200: json(FunctionValves, "The settings"), 404: notFound },
  }),
  updateValves: route("post", "/api/v1/functions/id/:id/valves", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Change a function's settings: omitted ones are kept, null restores the default",
    params: IdParams,
    body: ValveChanges,
    responses: { 200: json(FunctionValves, "The updated settings"), 404: notFound },
  }),
  versions: route("get", "/api/v1/functions/id/:id/versions", {
    access: "admin",
    summary: "List a function's versions, latest first",
    params: IdParams,
    responses: {
      200: json(Page(FunctionVersion), "The versions, without their sources"),
      404: notFound,
    },
  }),
  version: route("get", "/api/v1/functions/id/:id/versions/:version", {
    access: "admin",
    summary: "Get a version with its source",
    params: ByVersion,
    responses: { 200: json(FunctionVersionSource, "The version"), 404: notFound },
  }),
  restoreVersion: route("post", "/api/v1/functions/id/:id/versions/:version/restore", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Restore an older version as a new version",
    params: ByVersion,
    responses: { 200: json(FunctionRecord, "The updated function"), 404: notFound },
  }),
}
