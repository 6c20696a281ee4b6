import type { Router } from "../http/router.ts"
import type { SingleSignOn } from "./create-sso.ts"
import { identityRoutes } from "./identity-routes.ts"

export const createIdentityRouter = (router: Router, { identities }: SingleSignOn): Router => {
  router.on(identityRoutes.list, ({ caller }) => identities.list(caller.user.id))
  router.on(identityRoutes.remove, ({ actor, caller, params }) =>
    identities.remove(actor, { userId: caller.user.id, id: params.id }, caller),
  )
  router.on(identityRoutes.listOfUser, ({ params }) => identities.list(params.id))
  router.on(identityRoutes.removeFromUser, ({ actor, params }) =>
    identities.remove(actor, { userId: params.id, id: params.identity }),
  )
  return router
}
