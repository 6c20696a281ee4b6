import { fail } from "../errors.ts"
import { toSinglePage } from "../http/pagination.ts"
import type { Router } from "../http/router.ts"
import type { SingleSignOn } from "./create-sso.ts"
import { testProvider } from "./provider-check.ts"
import { providerRoutes } from "./provider-routes.ts"

export const createProviderRouter = (
  router: Router,
  { list, findProvider }: SingleSignOn,
): Router => {
  router.on(providerRoutes.list, async () => toSinglePage(await list()))
  router.on(providerRoutes.test, ({ params }) =>
    testProvider(findProvider(params.id) ?? fail("not_found", "No provider with this name")),
  )
  return router
}
