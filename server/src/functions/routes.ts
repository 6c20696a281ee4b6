import { z } from "zod"
import { IdParams, Page, toSinglePage } from "../http/pagination.ts"
import { json, success } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Functions } from "./functions.ts"
import { FunctionListItem } from "./run-schema.ts"
import type { RunStore } from "./run-store.ts"
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
import type { SourceValidator } from "./validation.ts"

const notFound = { description: "Function not found" }
const badSource = { description: "The source cannot be loaded; see `errors` for line and column" }
const ByVersion = IdParams.extend({ version: z.coerce.number<string>().int().min(1) })

/** Room for multi-byte and escaped characters in a source of the maximum length. */
const sourceLimits = { maxBytes: 2_000_000 }
const importLimits = { maxBytes: 20_000_000 }

interface Deps {
  router: Router
  functions: Functions
  check: SourceValidator
  runs: RunStore
}

const addCollectionRoutes = ({ router, functions, check, runs }: Deps): void => {
  router.on("get", "/", {
    access: "admin",
    summary: "List functions",
    responses: { 200: json(Page(FunctionListItem), "All functions, without their sources") },
    handle: async () => {
      const [all, latest] = await Promise.all([functions.list(), runs.latest()])
      return toSinglePage(all.map((one) => ({ ...one, last_run: latest.get(one.id) ?? null })))
    },
  })
  router.on("post", "/create", {
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
    handle: ({ actor, caller, body }) => functions.create(actor, caller, body),
  })
  router.on("post", "/check", {
    access: "admin",
    grantsPrivileges: false,
    summary: "Validate a source without saving it",
    body: z.object({ content: z.string().max(maxContent) }),
    bodyLimits: sourceLimits,
    responses: { 200: json(CheckedSource, "The problems found; the manifest if there are none") },
    handle: async ({ body }) => {
      const result = await check.check(body.content)
      return "source" in result
        ? { problems: [], manifest: result.source.manifest }
        : { problems: [result.problem], manifest: null }
    },
  })
  router.on("get", "/export", {
    access: "admin",
    summary: "Export all functions for import elsewhere, without their settings",
    responses: { 200: json(FunctionExport, "The functions") },
    handle: async () => ({ functions: await functions.exportAll() }),
  })
  router.on("post", "/import", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Import functions: create or update all of them, or none",
    body: FunctionImport,
    bodyLimits: importLimits,
    responses: {
      200: json(FunctionImportResult, "The ids of created and updated functions"),
      422: badSource,
    },
    handle: ({ actor, caller, body }) => functions.replace(actor, caller, body.functions),
  })
}

const addFunctionRoutes = ({ router, functions }: Deps): void => {
  router.on("get", "/id/:id", {
    access: "admin",
    summary: "Get a function with its source",
    params: IdParams,
    responses: { 200: json(FunctionRecord, "The function"), 404: notFound },
    handle: ({ params }) => functions.get(params.id),
  })
  router.on("post", "/id/:id/update", {
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
    handle: ({ actor, caller, params, body }) =>
      functions.update(actor, caller, { id: params.id, changes: body }),
  })
  router.on("post", "/id/:id/toggle", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Enable or disable a function",
    params: IdParams,
    responses: { 200: json(FunctionRecord, "The updated function"), 404: notFound },
    handle: ({ actor, caller, params }) => functions.toggle(actor, caller, params.id),
  })
  router.on("delete", "/id/:id/delete", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Delete a function with its versions, settings, runs and stored values",
    params: IdParams,
    responses: { 200: success("The function was deleted"), 404: notFound },
    handle: ({ actor, caller, params }) => functions.remove(actor, caller, params.id),
  })
}

const addSettingsRoutes = ({ router, functions }: Deps): void => {
  router.on("get", "/id/:id/valves", {
    access: "admin",
    summary: "Get a function's settings and their values, with secrets masked",
    params: IdParams,
    responses: { 200: json(FunctionValves, "The settings"), 404: notFound },
    handle: ({ params }) => functions.valves(params.id),
  })
  router.on("post", "/id/:id/valves", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Change a function's settings: omitted ones are kept, null restores the default",
    params: IdParams,
    body: ValveChanges,
    responses: { 200: json(FunctionValves, "The updated settings"), 404: notFound },
    handle: ({ actor, caller, params, body }) =>
      functions.setValves(actor, caller, { id: params.id, values: body.values }),
  })
}

const addVersionRoutes = ({ router, functions }: Deps): void => {
  router.on("get", "/id/:id/versions", {
    access: "admin",
    summary: "List a function's versions, latest first",
    params: IdParams,
    responses: {
      200: json(Page(FunctionVersion), "The versions, without their sources"),
      404: notFound,
    },
    handle: async ({ params }) => toSinglePage(await functions.versions(params.id)),
  })
  router.on("get", "/id/:id/versions/:version", {
    access: "admin",
    summary: "Get a version with its source",
    params: ByVersion,
    responses: { 200: json(FunctionVersionSource, "The version"), 404: notFound },
    handle: ({ params }) => functions.version(params.id, params.version),
  })
  router.on("post", "/id/:id/versions/:version/restore", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Restore an older version as a new version",
    params: ByVersion,
    responses: { 200: json(FunctionRecord, "The updated function"), 404: notFound },
    handle: ({ actor, caller, params }) => functions.restore(actor, caller, params),
  })
}

/** Routes for administrators to manage functions. */
export const functionRoutes = (deps: Deps): Router => {
  addCollectionRoutes(deps)
  addFunctionRoutes(deps)
  addSettingsRoutes(deps)
  addVersionRoutes(deps)
  return deps.router
}
