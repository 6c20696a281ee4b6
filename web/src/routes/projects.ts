import { createPageRoutes } from "./create-page-routes.ts"
import { signedInRoute } from "./root.tsx"

const { page } = createPageRoutes(signedInRoute)

export const projectRoutes = [
  page("/projects/new", "NewProjectPage", () => import("../pages/projects/create.tsx")),
  page("/projects/$projectId", "ProjectPage", () => import("../pages/projects/project.tsx")),
] as const
