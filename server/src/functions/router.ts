import { toSinglePage } from "../http/pagination.ts"
import type { Router } from "../http/router.ts"
import type { Functions } from "./functions.ts"
import { functionRoutes } from "./routes.ts"
import type { RunStore } from "./run-store.ts"
import type { SourceValidator } from "./source-validator.ts"

interface Deps {
  router: Router
  functions: Functions
  check: SourceValidator
  runs: RunStore
}

const addCollectionRoutes = ({ router, functions, check, runs }: Deps): void => {
  router.on(functionRoutes.list, async () => {
    const [all, latest] = await Promise.all([functions.list(), runs.latest()])
    return toSinglePage(all.map((one) => ({ ...one, last_run: latest.get(one.id) ?? null })))
  })
  router.on(functionRoutes.create, ({ actor, caller, body }) =>
    functions.create(actor, caller, body),
  )
  router.on(functionRoutes.check, async ({ body }) => {
    const result = await check.check(body.content)
    return "source" in result
      ? { problems: [], manifest: result.source.manifest }
      : { problems: [result.problem], manifest: null }
  })
  router.on(functionRoutes.exportAll, async () => ({ functions: await functions.exportAll() }))
  router.on(functionRoutes.importAll, ({ actor, caller, body }) =>
    functions.replace(actor, caller, body.functions),
  )
}

const addFunctionRoutes = ({ router, functions }: Deps): void => {
  router.on(functionRoutes.get, ({ params }) => functions.get(params.id))
  router.on(functionRoutes.update, ({ actor, caller, params, body }) =>
    functions.update(actor, caller, { id: params.id, changes: body }),
  )
  router.on(functionRoutes.toggle, ({ actor, caller, params }) =>
    functions.toggle(actor, caller, params.id),
  )
  router.on(functionRoutes.remove, ({ actor, caller, params }) =>
    functions.remove(actor, caller, params.id),
  )
}

const addSettingsRoutes = ({ router, functions }: Deps): void => {
  router.on(functionRoutes.valves, ({ params }) => functions.valves(params.id))
  router.on(functionRoutes.updateValves, ({ actor, caller, params, body }) =>
    functions.setValves(actor, caller, { id: params.id, values: body.values }),
  )
}

const addVersionRoutes = ({ router, functions }: Deps): void => {
  router.on(functionRoutes.versions, async ({ params }) =>
    toSinglePage(await functions.versions(params.id)),
  )
  router.on(functionRoutes.version, ({ params }) => functions.version(params.id, params.version))
  router.on(functionRoutes.restoreVersion, ({ actor, caller, params }) =>
    functions.restore(actor, caller, params),
  )
}

/** Routes for administrators to manage functions. */
export const createFunctionRouter = (deps: Deps): Router => {
  addCollectionRoutes(deps)
  addFunctionRoutes(deps)
  addSettingsRoutes(deps)
  addVersionRoutes(deps)
  return deps.router
}
