import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { usageParams } from "../pages/usage/usage-params.ts"
import { createAdministrationRoutes, createPageRoutes } from "./create-page-routes.ts"
import { signedInRoute } from "./root.tsx"

const layout = createRoute({
  getParentRoute: () => signedInRoute,
  id: "account",
  component: lazyRouteComponent(() => import("../pages/account/layout.tsx"), "AccountLayout"),
})
const { page, listPage } = createPageRoutes(layout)
const { page: managerPage } = createAdministrationRoutes(layout)

export const accountRoutes = layout.addChildren([
  page("/account", "ProfilePage", () => import("../pages/account/profile.tsx")),
  page(
    "/account/instructions",
    "InstructionsPage",
    () => import("../pages/account/instructions.tsx"),
  ),
  page("/account/keys", "KeysPage", () => import("../pages/account/keys.tsx")),
  page("/account/keys/new", "NewKeyPage", () => import("../pages/account/new-key.tsx")),
  listPage(
    "/account/programs",
    ["program"],
    "ProgramsPage",
    () => import("../pages/account/programs.tsx"),
  ),
  listPage("/account/usage", usageParams, "OwnUsagePage", () => import("../pages/usage/usage.tsx")),
  page("/account/groups", "OwnGroupsPage", () => import("../pages/account/groups.tsx")),
  managerPage(
    "/account/groups/$groupId",
    "ManagedGroupPage",
    () => import("../pages/admin/managed-group.tsx"),
  ),
  managerPage(
    "/account/groups/$groupId/keys/new",
    "ManagedServiceKeyPage",
    () => import("../pages/admin/new-service-key.tsx"),
  ),
  page("/account/sessions", "SessionsPage", () => import("../pages/account/sessions.tsx")),
])
