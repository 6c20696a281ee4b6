import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { signedInRoute } from "./root.tsx"

const create = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/projects/new",
  component: lazyRouteComponent(() => import("../pages/projects/create.tsx"), "NewProjectPage"),
})
const project = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/projects/$projectId",
  component: lazyRouteComponent(() => import("../pages/projects/project.tsx"), "ProjectPage"),
})

export const projectRoutes = [create, project] as const
