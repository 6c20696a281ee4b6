import { createRoute } from "@tanstack/react-router"
import { createAdministrationRoutes } from "./create-page-routes.ts"
import { requireAdmin, signedInRoute } from "./root.tsx"

const area = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/functions",
  beforeLoad: requireAdmin,
})
const { page, listPage } = createAdministrationRoutes(area)
const one = page("/$functionId", "FunctionPage", () => import("../pages/functions/function.tsx"))
const { page: tab } = createAdministrationRoutes(one)

export const functionRoutes = area.addChildren([
  listPage("/", ["kind", "state"], "FunctionsPage", () => import("../pages/functions/list.tsx")),
  page("/new", "NewFunctionPage", () => import("../pages/functions/create.tsx")),
  one.addChildren([
    tab("/", "CodePart", () => import("../pages/functions/code.tsx")),
    tab("/settings", "SettingsPart", () => import("../pages/functions/settings.tsx")),
    tab("/access", "AccessPart", () => import("../pages/functions/access.tsx")),
    tab("/versions", "VersionsPart", () => import("../pages/functions/versions.tsx")),
    tab("/runs", "RunsPart", () => import("../pages/functions/runs.tsx")),
  ]),
])
