import type { Router } from "../http/router.ts"
import type { Groups } from "./groups.ts"
import { groupRoutes } from "./routes.ts"

export const createGroupRouter = (router: Router, groups: Groups): Router => {
  router.on(groupRoutes.list, ({ query }) => groups.list(query))
  router.on(groupRoutes.create, ({ actor, body }) => groups.create(actor, body))
  router.on(groupRoutes.mine, async ({ caller }) => {
    const ownGroups = await groups.listNames([...caller.groups])
    return ownGroups.toSorted((a, b) => a.name.localeCompare(b.name))
  })
  router.on(groupRoutes.get, ({ params }) => groups.get(params.id))
  router.on(groupRoutes.update, ({ actor, params, body }) => groups.update(actor, params.id, body))
  router.on(groupRoutes.remove, ({ actor, params, query }) =>
    groups.remove(actor, params.id, query),
  )
  router.on(groupRoutes.members, ({ params, query }) => groups.members(params.id, query))
  router.on(groupRoutes.addMembers, ({ actor, params, body }) =>
    groups.changeMembers(actor, params.id, { add: body.user_ids }),
  )
  router.on(groupRoutes.removeMembers, ({ actor, params, body }) =>
    groups.changeMembers(actor, params.id, { remove: body.user_ids }),
  )
  return router
}
