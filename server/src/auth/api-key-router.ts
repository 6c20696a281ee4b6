import { fail } from "../errors.ts"
import type { Router } from "../http/router.ts"
import { apiKeyRoutes, serviceKeyRoutes } from "./api-key-routes.ts"
import type { ApiKeys } from "./api-keys.ts"
import type { ServiceKeys } from "./service-keys.ts"

interface Deps {
  router: Router
  keys: ApiKeys
  serviceKeys: ServiceKeys
}

export const createApiKeyRouter = ({ router, keys, serviceKeys }: Deps): Router => {
  router.on(apiKeyRoutes.list, ({ caller }) => keys.list(caller.user.id))
  router.on(apiKeyRoutes.create, ({ actor, caller, body }) =>
    keys.create(actor, caller.user.id, body),
  )
  router.on(apiKeyRoutes.remove, ({ actor, caller, params }) =>
    keys.revoke(actor, caller.user.id, params.id),
  )
  router.on(apiKeyRoutes.getUnrestricted, async ({ caller }) => {
    const key = await keys.scriptKey(caller.user.id)
    return key
      ? { api_key: `sk-…${key.hint}` }
      : fail("not_found", "You have no script key. Create one with POST.")
  })
  router.on(apiKeyRoutes.createUnrestricted, async ({ actor, caller }) => {
    const { api_key } = await keys.replaceScriptKey(actor, caller.user.id)
    return { api_key }
  })
  router.on(apiKeyRoutes.removeUnrestricted, async ({ actor, caller }) => {
    const key = await keys.scriptKey(caller.user.id)
    if (key) await keys.revoke(actor, caller.user.id, key.id)
  })
  router.on(apiKeyRoutes.listAll, ({ query }) => keys.listAll(query))
  router.on(apiKeyRoutes.removeAny, ({ actor, params }) => keys.revokeAny(actor, params.id))
  router.on(serviceKeyRoutes.list, ({ caller, params }) => serviceKeys.list(caller, params.id))
  router.on(serviceKeyRoutes.create, ({ actor, caller, params, body }) =>
    serviceKeys.create(actor, caller, params.id, body),
  )
  router.on(serviceKeyRoutes.remove, ({ actor, caller, params: { id: groupId, key_id: id } }) =>
    serviceKeys.revoke(actor, caller, { groupId, id }),
  )
  return router
}
