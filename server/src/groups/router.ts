import type { Router } from "../http/router.ts"
import type { GroupAccess } from "./group-access.ts"
import type { GroupManagers } from "./group-managers.ts"
import type { Groups } from "./groups.ts"
import { groupRoutes } from "./routes.ts"

interface Deps {
  router: Router
  groups: Groups
  groupAccess: GroupAccess
  groupManagers: GroupManagers
}

export const createGroupRouter = (deps: Deps): Router => {
  const { router, groups, groupAccess, groupManagers } = deps
  router.on(groupRoutes.list, ({ query }) => groups.list(query))
  router.on(groupRoutes.create, ({ actor, body }) => groups.create(actor, body))
  router.on(groupRoutes.mine, ({ caller }) => groups.groupsOf(caller.user.id))
  router.on(groupRoutes.get, async ({ caller, params }) => {
    await groupAccess.requireManager(caller, params.id)
    return groups.get(params.id)
  })
  router.on(groupRoutes.update, ({ actor, params, body }) => groups.update(actor, params.id, body))
  router.on(groupRoutes.remove, ({ actor, params, query }) =>
    groups.remove(actor, params.id, query),
  )
  router.on(groupRoutes.members, async ({ caller, params, query }) => {
    await groupAccess.requireManager(caller, params.id)
    return groups.members(params.id, query)
  })
  router.on(groupRoutes.addMembers, ({ actor, caller, params: { id }, body }) =>
    groups.changeMembers(actor, id, { add: body.user_ids, addEmails: body.emails }, async (tx) => {
      await groupAccess.requireManager(caller, id, tx)
      await groupAccess.requireAddable(caller, id, body.user_ids, tx)
    }),
  )
  router.on(groupRoutes.removeMembers, ({ actor, caller, params: { id }, body }) =>
    groups.changeMembers(actor, id, { remove: body.user_ids }, async (tx) => {
      await groupAccess.requireManager(caller, id, tx)
      await groupAccess.requireRemovable(caller, id, body.user_ids, tx)
    }),
  )
  router.on(groupRoutes.addManagers, ({ actor, params, body }) =>
    groupManagers.appoint(actor, params.id, body.user_ids),
  )
  router.on(groupRoutes.removeManagers, ({ actor, params, body }) =>
    groupManagers.dismiss(actor, params.id, body.user_ids),
  )
  return router
}
