import type { Router } from "../http/router.ts"
import type { Limits } from "./limits.ts"
import { limitRoutes } from "./routes.ts"
import type { LimitNotices } from "./warnings/limit-notices.ts"

interface Deps {
  router: Router
  usageLimits: Limits
  limitNotices: LimitNotices
}

export const createLimitRouter = ({ router, usageLimits: limits, limitNotices }: Deps): Router => {
  router.on(limitRoutes.list, ({ caller, query }) => limits.list(caller, query))
  router.on(limitRoutes.listOwn, ({ caller, query }) => limits.listOwn(caller, query))
  router.on(limitRoutes.notices, ({ caller }) => ({ items: limitNotices.ofCaller(caller) }))
  router.on(limitRoutes.create, ({ actor, caller, body }) => limits.create(actor, caller, body))
  router.on(limitRoutes.update, ({ actor, caller, params: { id }, body }) =>
    limits.update(actor, caller, { id, input: body }),
  )
  router.on(limitRoutes.remove, ({ actor, caller, params }) =>
    limits.remove(actor, caller, params.id),
  )
  return router
}
