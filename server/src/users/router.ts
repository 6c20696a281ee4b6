import type { Router } from "../http/router.ts"
import { userRoutes } from "./routes.ts"
import type { Users } from "./users.ts"

export const createUserRouter = (router: Router, users: Users): Router => {
  router.on(userRoutes.list, ({ query }) => users.list(query))
  router.on(userRoutes.get, ({ params }) => users.get(params.id))
  router.on(userRoutes.update, ({ actor, caller, params, body }) =>
    users.update(actor, params.id, body, users.requireAdmin(caller)),
  )
  router.on(userRoutes.release, ({ actor, params }) => users.release(actor, params.id))
  return router
}
