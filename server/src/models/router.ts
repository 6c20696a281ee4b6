import type { Router } from "../http/router.ts"
import { streamText } from "../http/stream-response.ts"
import { modelRoutes } from "./routes.ts"
import type { WorkspaceModel } from "./schema.ts"
import type { ModelTransfer } from "./transfer.ts"
import type { WorkspaceModels } from "./workspace-models.ts"

/** Streams a `ModelExport`: all models together may exceed memory. */
const streamExport = async function* (
  models: AsyncIterable<WorkspaceModel>,
): AsyncGenerator<string> {
  let separator = '{"models":['
  for await (const model of models) {
    yield separator + JSON.stringify(model)
    separator = ","
  }
  yield separator === "," ? "]}" : `${separator}]}`
}

interface Deps {
  router: Router
  models: WorkspaceModels
  modelTransfer: ModelTransfer
}

export const createModelRouter = ({ router, models, modelTransfer: transfer }: Deps): Router => {
  router.on(modelRoutes.list, ({ caller, query }) => models.list(caller, query))
  router.on(modelRoutes.create, ({ body, ...by }) => models.create(by, body))
  router.on(modelRoutes.get, ({ caller, query }) => models.get(caller, query.id))
  router.on(modelRoutes.update, ({ query, body, ...by }) => models.update(by, query.id, body))
  router.on(modelRoutes.toggle, ({ query, ...by }) => models.toggleActive(by, query.id))
  router.on(modelRoutes.remove, ({ body, ...by }) => models.remove(by, body))
  router.on(modelRoutes.transfer, ({ actor, caller, query, body }) =>
    transfer.transfer(actor, caller, { id: query.id, ...body }),
  )
  router.on(
    modelRoutes.exportAll,
    ({ caller, context }) =>
      new Response(streamText(streamExport(models.streamAll(caller)), context), {
        headers: { "content-type": "application/json; charset=utf-8" },
      }),
  )
  router.on(modelRoutes.importAll, ({ body, ...by }) => models.replace(by, body.models))
  return router
}
