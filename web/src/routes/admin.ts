import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { usageParams } from "../pages/usage/usage-params.ts"
import { createAdministrationRoutes } from "./create-page-routes.ts"
import { requireAdmin, signedInRoute } from "./root.tsx"

const layout = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/admin",
  beforeLoad: requireAdmin,
  component: lazyRouteComponent(() => import("../pages/admin/admin-layout.tsx"), "AdminLayout"),
})
const { page, listPage } = createAdministrationRoutes(layout)

const auditFilters = ["actor", "action", "operation", "target", "outcome", "hours"] as const

export const adminRoutes = layout.addChildren([
  page("/", "OverviewPage", () => import("../pages/admin/overview.tsx")),
  listPage("/users", ["role", "active"], "UsersPage", () => import("../pages/admin/users.tsx")),
  page("/users/new", "NewUserPage", () => import("../pages/admin/new-user.tsx")),
  page("/users/$userId", "UserPage", () => import("../pages/admin/user.tsx")),
  listPage("/invitations", [], "InvitationsPage", () => import("../pages/admin/invitations.tsx")),
  page("/invitations/new", "NewInvitationPage", () => import("../pages/admin/new-invitation.tsx")),
  listPage("/groups", [], "GroupsPage", () => import("../pages/admin/groups.tsx")),
  page("/groups/new", "NewGroupPage", () => import("../pages/admin/new-group.tsx")),
  page("/groups/$groupId", "GroupPage", () => import("../pages/admin/group.tsx")),
  page(
    "/groups/$groupId/keys/new",
    "NewServiceKeyPage",
    () => import("../pages/admin/new-service-key.tsx"),
  ),
  listPage("/keys", ["owner", "use"], "AllKeysPage", () => import("../pages/admin/all-keys.tsx")),
  page("/keys/$keyId", "KeyPage", () => import("../pages/admin/key.tsx")),
  page("/connections", "ConnectionsPage", () => import("../pages/admin/connections.tsx")),
  page("/connections/new", "NewConnectionPage", () => import("../pages/admin/new-connection.tsx")),
  page(
    "/connections/$connectionId",
    "ConnectionPage",
    () => import("../pages/admin/connection.tsx"),
  ),
  listPage("/prices", ["view"], "PricesPage", () => import("../pages/admin/prices.tsx")),
  listPage(
    "/prices/set",
    ["model", "scope", "from"],
    "SetPricePage",
    () => import("../pages/admin/set-price.tsx"),
  ),
  page("/prices/import", "ImportPricesPage", () => import("../pages/admin/import-prices.tsx")),
  page("/prices/view/$modelId", "PricePage", () => import("../pages/admin/price.tsx")),
  listPage("/limits", ["target_type"], "LimitsPage", () => import("../pages/admin/limits.tsx")),
  page("/limits/new", "NewLimitPage", () => import("../pages/admin/new-limit.tsx")),
  page("/limits/$limitId", "LimitPage", () => import("../pages/admin/limit.tsx")),
  page("/provisioning", "ProvisioningPage", () => import("../pages/admin/provisioning.tsx")),
  listPage("/usage", usageParams, "UsagePage", () => import("../pages/usage/usage.tsx")),
  listPage(
    "/ratings",
    ["model", "value"],
    "RatingsPage",
    () => import("../pages/admin/ratings.tsx"),
  ),
  listPage("/audit", auditFilters, "AuditPage", () => import("../pages/admin/audit.tsx")),
  page("/audit/$eventId", "AuditEventPage", () => import("../pages/admin/audit-event.tsx")),
  page("/sign-on", "SignOnPage", () => import("../pages/admin/sign-on.tsx")),
  page("/settings", "SettingsPage", () => import("../pages/admin/settings.tsx")),
])
