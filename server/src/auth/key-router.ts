import { fail } from "../errors.ts"
import type { Router } from "../http/router.ts"
import { keyRoutes } from "./key-routes.ts"
import type { Keys } from "./keys.ts"

export const createKeyRouter = (router: Router, keys: Keys): Router => {
  router.on(keyRoutes.list, ({ caller }) => keys.list(caller.user.id))
  router.on(keyRoutes.create, ({ actor, caller, body }) => keys.create(actor, caller.user.id, body))
  router.on(keyRoutes.remove, ({ actor, caller, params }) =>
    keys.revoke(actor, caller.user.id, params.id),
  )
  router.on(keyRoutes.getUnrestricted, async ({ caller }) => {
    const key = await keys.scriptKey(caller.user.id)
    return key
      ? { api_key: `sk-…${key.hint}` }
      : fail("not_found", "You have no script key. Create one with POST.")
  })
  router.on(keyRoutes.createUnrestricted, async ({ actor, caller }) => {
    const { api_key } = await keys.replaceScriptKey(actor, caller.user.id)
    return { api_key }
  })
  router.on(keyRoutes.removeUnrestricted, async ({ actor, caller }) => {
    const key = await keys.scriptKey(caller.user.id)
    if (key) await keys.revoke(actor, caller.user.id, key.id)
  })
  return router
}
