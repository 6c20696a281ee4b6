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
const { page: administrationPage } = createAdministrationRoutes(layout)

export const accountRoutes = layout.addChildren([
  page("/account", "ProfilePage", () => import("../pages/account/profile.tsx")),
  page(
    "/account/instructions",
    "InstructionsPage",
    () => import("../pages/account/instructions.tsx"),
  ),
  page("/account/keys", "KeysPage", () => import("../pages/account/keys.tsx")),
  administrationPage(
    "/account/keys/$keyId",
    "OwnKeyPage",
    () => import("../pages/account/key.tsx"),
  ),
  page("/account/keys/new", "NewKeyPage", () => import("../pages/account/new-key.tsx")),
  listPage(
    "/account/programs",
    ["program"],
    "ProgramsPage",
    () => import("../pages/account/programs.tsx"),
  ),
  listPage("/account/usage", usageParams, "OwnUsagePage", () => import("../pages/usage/usage.tsx")),
  page("/account/groups", "OwnGroupsPage", () => import("../pages/account/groups.tsx")),
  administrationPage(
    "/account/groups/$groupId",
    "ManagedGroupPage",
    () => import("../pages/admin/managed-group.tsx"),
  ),
  administrationPage(
    "/account/groups/$groupId/keys/new",
    "ManagedServiceKeyPage",
    () => import("../pages/admin/new-service-key.tsx"),
  ),
  administrationPage(
    "/account/groups/$groupId/keys/$keyId",
    "ManagedKeyPage",
    () => import("../pages/admin/managed-limits.tsx"),
  ),
  administrationPage(
    "/account/groups/$groupId/members/$userId",
    "ManagedMemberPage",
    () => import("../pages/admin/managed-limits.tsx"),
  ),
  page("/account/sessions", "SessionsPage", () => import("../pages/account/sessions.tsx")),
])
