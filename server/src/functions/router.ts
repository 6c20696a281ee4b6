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

/** Routes for administrators to manage functions. */
export const createFunctionRouter = ({ router, functions, check, runs }: Deps): Router => {
  router.on(functionRoutes.list, async () => {
    const [all, latest] = await Promise.all([functions.list(), runs.latest()])
    return toSinglePage(all.map((one) => ({ ...one, last_run: latest.get(one.id) ?? null })))
  })
  router.on(functionRoutes.create, ({ body, ...by }) => functions.create(by, body))
  router.on(functionRoutes.check, async ({ body }) => {
    const result = await check.check(body.content)
    return "source" in result
      ? { problems: [], manifest: result.source.manifest }
      : { problems: [result.problem], manifest: null }
  })
  router.on(functionRoutes.exportAll, async () => ({ functions: await functions.exportAll() }))
  router.on(functionRoutes.importAll, ({ body, ...by }) => functions.replace(by, body.functions))
  router.on(functionRoutes.get, ({ params }) => functions.get(params.id))
  router.on(functionRoutes.update, ({ params, body, ...by }) =>
    functions.update(by, params.id, body),
  )
  router.on(functionRoutes.toggle, ({ params, ...by }) => functions.toggle(by, params.id))
  router.on(functionRoutes.remove, ({ params, ...by }) => functions.remove(by, params.id))
  router.on(functionRoutes.valves, ({ params }) => functions.valves(params.id))
  router.on(functionRoutes.updateValves, ({ params, body, ...by }) =>
    functions.setValves(by, params.id, body),
  )
  router.on(functionRoutes.versions, async ({ params }) =>
    toSinglePage(await functions.versions(params.id)),
  )
  router.on(functionRoutes.version, ({ params }) => functions.version(params.id, params.version))
  router.on(functionRoutes.restoreVersion, ({ params, ...by }) =>
    functions.restore(by, params.id, params.version),
  )
  return router
}
