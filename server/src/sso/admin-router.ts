import { fail } from "../errors.ts"
import { toSinglePage } from "../http/pagination.ts"
import type { Router } from "../http/router.ts"
import { signOnAdminRoutes } from "./admin-routes.ts"
import type { SingleSignOn } from "./create-sso.ts"
import { testProvider } from "./provider-check.ts"

/** Routes for administering providers and linked identities. */
export const createSignOnAdminRouter = (router: Router, sso: SingleSignOn): Router => {
  const { identities, findProvider } = sso

  router.on(signOnAdminRoutes.providers, async () => toSinglePage(await sso.list()))
  router.on(signOnAdminRoutes.testProvider, ({ params }) =>
    testProvider(findProvider(params.id) ?? fail("not_found", "No provider with this name")),
  )
  router.on(signOnAdminRoutes.identities, ({ caller }) => identities.list(caller.user.id))
  router.on(signOnAdminRoutes.removeIdentity, ({ actor, caller, params }) =>
    identities.remove(actor, { userId: caller.user.id, id: params.id }, caller),
  )
  router.on(signOnAdminRoutes.userIdentities, ({ params }) => identities.list(params.id))
  router.on(signOnAdminRoutes.removeUserIdentity, ({ actor, params }) =>
    identities.remove(actor, { userId: params.id, id: params.identity }),
  )
  return router
}
