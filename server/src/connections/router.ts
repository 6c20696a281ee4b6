import { toSinglePage } from "../http/pagination.ts"
import type { Router } from "../http/router.ts"
import type { Connections } from "./connections.ts"
import { connectionRoutes } from "./routes.ts"

export const createConnectionRouter = (router: Router, connections: Connections): Router => {
  router.on(connectionRoutes.list, async () => toSinglePage(await connections.list()))
  router.on(connectionRoutes.providers, () => toSinglePage(connections.listProviders()))
  router.on(connectionRoutes.create, ({ actor, body }) => connections.create(actor, body))
  router.on(connectionRoutes.testNew, ({ body }) => connections.test(body))
  router.on(connectionRoutes.get, ({ params }) => connections.get(params.id))
  router.on(connectionRoutes.update, ({ actor, params, body }) =>
    connections.update(actor, params.id, body),
  )
  router.on(connectionRoutes.test, async ({ params }) =>
    connections.test(await connections.getConfig(params.id)),
  )
  router.on(connectionRoutes.remove, ({ actor, params, query }) =>
    connections.remove(actor, params.id, query),
  )
  return router
}
