import type { Router } from "../../http/router.ts"
import type { Projects } from "./projects.ts"
import { projectRoutes } from "./routes.ts"

/** The routes for projects: the folders of a user's chats. */
export const createProjectRouter = (router: Router, projects: Projects): Router => {
  router.on(projectRoutes.list, ({ caller, query }) => projects.list(caller, query))
  router.on(projectRoutes.create, ({ actor, caller, body }) => projects.create(actor, caller, body))
  router.on(projectRoutes.get, ({ caller, params }) => projects.get(caller, params.id))
  router.on(projectRoutes.update, ({ actor, caller, params, body }) =>
    projects.update(actor, caller, { id: params.id, changes: body }),
  )
  router.on(projectRoutes.remove, ({ actor, caller, params }) =>
    projects.remove(actor, caller, params.id),
  )
  return router
}
