import type { Router } from "../http/router.ts"
import type { UserRemoval } from "./user-removal.ts"
import { userRemovalRoutes } from "./user-removal-routes.ts"

/** The routes under `/api/v1/users` that concern what an account owns. */
export const createUserRemovalRouter = (router: Router, removal: UserRemoval): Router => {
  router.on(userRemovalRoutes.owned, ({ params }) => removal.owned(params.id))
  router.on(userRemovalRoutes.remove, ({ actor, caller, params, query, context }) => {
    const isAwaited = () => !context.outgoing.destroyed
    return removal.remove({ actor, caller, id: params.id, query, isAwaited })
  })
  return router
}
