import type { Router } from "../http/router.ts"
import type { Limits } from "./limits.ts"
import { limitRoutes } from "./routes.ts"

interface Deps {
  router: Router
  usageLimits: Limits
}

export const createLimitRouter = ({ router, usageLimits: limits }: Deps): Router => {
  router.on(limitRoutes.list, ({ query }) => limits.list(query))
  router.on(limitRoutes.create, ({ actor, body }) => limits.create(actor, body))
  router.on(limitRoutes.update, ({ actor, params, body }) => limits.update(actor, params.id, body))
  router.on(limitRoutes.remove, ({ actor, params }) => limits.remove(actor, params.id))
  return router
}
