import { z } from "zod"
import { ById, Done, done, Page } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Functions } from "./functions.ts"
import { FunctionListed } from "./run-schema.ts"
import type { RunStore } from "./run-store.ts"
import {
  CheckedSource,
  FunctionChanges,
  FunctionExport,
  FunctionImport,
  FunctionRecord,
  FunctionsImported,
  FunctionValves,
  FunctionVersion,
  FunctionVersionSource,
  maxContent,
  NewFunction,
  ValveChanges,
} from "./schema.ts"
import type { CheckSource } from "./validation.ts"

const unknown = { description: "No such function" }
const badSource = { description: "The source cannot be loaded; `errors` has line and column" }
const ByVersion = ById.extend({ version: z.coerce.number<string>().int().min(1) })

/** A source may be in letters of several bytes each, and half of them escaped. */
const sourceLimits = { maxBytes: 2_000_000 }
const importLimits = { maxBytes: 20_000_000 }

interface Deps {
  router: Router
  functions: Functions
  check: CheckSource
  runs: RunStore
}

const addKeeping = ({ router, functions, check, runs }: Deps): void => {
  router.on(
    route("admin", {
      method: "get",
      path: "/",
      summary: "All functions",
      responses: { 200: json(Page(FunctionListed), "All of them, without their sources") },
    }),
    async () => {
      const [all, latest] = await Promise.all([functions.list(), runs.latest()])
      const items = all.map((one) => ({ ...one, last_run: latest.get(one.id) ?? null }))
      return { items, total: items.length }
    },
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/create",
      givesAuthority: true,
      summary: "Create a function from its source; it is granted to nobody else",
      body: NewFunction,
      bodyLimits: sourceLimits,
      responses: {
        200: json(FunctionRecord, "The new function"),
        409: { description: "The id is taken" },
        422: badSource,
      },
    }),
    ({ actor, caller, body }) => functions.create(actor, caller, body),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/check",
      givesAuthority: false,
      summary: "Read a source without saving it: what is wrong, or what it exports",
      body: z.object({ content: z.string().max(maxContent) }),
      bodyLimits: sourceLimits,
      responses: { 200: json(CheckedSource, "Problems, and the manifest where there are none") },
    }),
    async ({ body }) => {
      const checked = await check.check(body.content)
      return "source" in checked
        ? { problems: [], manifest: checked.source.manifest }
        : { problems: [checked.problem], manifest: null }
    },
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/export",
      summary: "All functions, in the form that import takes; settings are not in it",
      responses: { 200: json(FunctionExport, "The functions") },
    }),
    async () => ({ functions: await functions.exported() }),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/import",
      givesAuthority: true,
      summary: "Create or change functions: all of them, or none",
      body: FunctionImport,
      bodyLimits: importLimits,
      responses: {
        200: json(FunctionsImported, "What was created and what was changed"),
        422: badSource,
      },
    }),
    ({ actor, caller, body }) => functions.replace(actor, caller, body.functions),
  )
}

const addOne = ({ router, functions }: Deps): void => {
  router.on(
    route("admin", {
      method: "get",
      path: "/id/:id",
      summary: "One function with its source",
      params: ById,
      responses: { 200: json(FunctionRecord, "The function"), 404: unknown },
    }),
    ({ params }) => functions.get(params.id),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/id/:id/update",
      givesAuthority: true,
      summary: "Change a function; what is left out stays, a new source is a new version",
      params: ById,
      body: FunctionChanges,
      bodyLimits: sourceLimits,
      responses: {
        200: json(FunctionRecord, "As it is now"),
        404: unknown,
        409: { description: "There is a later version than the one named" },
        422: badSource,
      },
    }),
    ({ actor, caller, params, body }) =>
      functions.update(actor, caller, { id: params.id, changes: body }),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/id/:id/toggle",
      givesAuthority: true,
      summary: "Switch a function on or off",
      params: ById,
      responses: { 200: json(FunctionRecord, "As it is now"), 404: unknown },
    }),
    ({ actor, caller, params }) => functions.toggle(actor, caller, params.id),
  )
  router.on(
    route("admin", {
      method: "delete",
      path: "/id/:id/delete",
      givesAuthority: true,
      summary: "Delete a function with its versions, settings, runs and store",
      params: ById,
      responses: { 200: json(Done, "It is gone"), 404: unknown },
    }),
    async ({ actor, caller, params }) => {
      await functions.remove(actor, caller, params.id)
      return done
    },
  )
}

const addSettings = ({ router, functions }: Deps): void => {
  router.on(
    route("admin", {
      method: "get",
      path: "/id/:id/valves",
      summary: "Its settings: what they are, and what is filled in; secrets masked",
      params: ById,
      responses: { 200: json(FunctionValves, "The settings"), 404: unknown },
    }),
    ({ params }) => functions.valves(params.id),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/id/:id/valves",
      givesAuthority: true,
      summary: "Fill in settings; what is left out stays, null goes back to the default",
      params: ById,
      body: ValveChanges,
      responses: { 200: json(FunctionValves, "As they are now"), 404: unknown },
    }),
    ({ actor, caller, params, body }) =>
      functions.setValves(actor, caller, { id: params.id, values: body.values }),
  )
}

const addVersions = ({ router, functions }: Deps): void => {
  router.on(
    route("admin", {
      method: "get",
      path: "/id/:id/versions",
      summary: "Its versions, the latest first",
      params: ById,
      responses: { 200: json(Page(FunctionVersion), "Without their sources"), 404: unknown },
    }),
    async ({ params }) => {
      const items = await functions.versions(params.id)
      return { items, total: items.length }
    },
  )
  router.on(
    route("admin", {
      method: "get",
      path: "/id/:id/versions/:version",
      summary: "One version with its source",
      params: ByVersion,
      responses: { 200: json(FunctionVersionSource, "The version"), 404: unknown },
    }),
    ({ params }) => functions.version(params.id, params.version),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/id/:id/versions/:version/restore",
      givesAuthority: true,
      summary: "Make an old version the latest, as a new one",
      params: ByVersion,
      responses: { 200: json(FunctionRecord, "As it is now"), 404: unknown },
    }),
    ({ actor, caller, params }) => functions.restore(actor, caller, params),
  )
}

/** Functions and their keeping; for administrators. */
export const functionRoutes = (deps: Deps): Router => {
  addKeeping(deps)
  addOne(deps)
  addSettings(deps)
  addVersions(deps)
  return deps.router
}
