import { createRoute, lazyRouteComponent, notFound } from "@tanstack/react-router"
import { createListSearchParser } from "../lib/list-search-params.ts"
import { findPageSession } from "../lib/session.ts"
import { signedInRoute } from "./root.tsx"

const layout = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/admin",
  beforeLoad: async () => {
    const session = await findPageSession()
    if (session?.user.role !== "admin") throw notFound()
  },
  component: lazyRouteComponent(() => import("../pages/admin/layout.tsx"), "AdminLayout"),
})
const overview = createRoute({
  getParentRoute: () => layout,
  path: "/",
  component: lazyRouteComponent(() => import("../pages/admin/overview.tsx"), "OverviewPage"),
})
const invitations = createRoute({
  getParentRoute: () => layout,
  path: "/invitations",
  validateSearch: createListSearchParser(),
  component: lazyRouteComponent(() => import("../pages/admin/invitations.tsx"), "InvitationsPage"),
})
const newInvitation = createRoute({
  getParentRoute: () => layout,
  path: "/invitations/new",
  component: lazyRouteComponent(
    () => import("../pages/admin/new-invitation.tsx"),
    "NewInvitationPage",
  ),
})
const users = createRoute({
  getParentRoute: () => layout,
  path: "/users",
  validateSearch: createListSearchParser("role", "active"),
  component: lazyRouteComponent(() => import("../pages/admin/users.tsx"), "UsersPage"),
})
const newUser = createRoute({
  getParentRoute: () => layout,
  path: "/users/new",
  component: lazyRouteComponent(() => import("../pages/admin/new-user.tsx"), "NewUserPage"),
})
const user = createRoute({
  getParentRoute: () => layout,
  path: "/users/$userId",
  component: lazyRouteComponent(() => import("../pages/admin/user.tsx"), "UserPage"),
})
const groups = createRoute({
  getParentRoute: () => layout,
  path: "/groups",
  validateSearch: createListSearchParser(),
  component: lazyRouteComponent(() => import("../pages/admin/groups.tsx"), "GroupsPage"),
})
const newGroup = createRoute({
  getParentRoute: () => layout,
  path: "/groups/new",
  component: lazyRouteComponent(() => import("../pages/admin/new-group.tsx"), "NewGroupPage"),
})
const group = createRoute({
  getParentRoute: () => layout,
  path: "/groups/$groupId",
  component: lazyRouteComponent(() => import("../pages/admin/group.tsx"), "GroupPage"),
})
const connections = createRoute({
  getParentRoute: () => layout,
  path: "/connections",
  component: lazyRouteComponent(() => import("../pages/admin/connections.tsx"), "ConnectionsPage"),
})
const newConnection = createRoute({
  getParentRoute: () => layout,
  path: "/connections/new",
  component: lazyRouteComponent(
    () => import("../pages/admin/new-connection.tsx"),
    "NewConnectionPage",
  ),
})
const connection = createRoute({
  getParentRoute: () => layout,
  path: "/connections/$connectionId",
  component: lazyRouteComponent(() => import("../pages/admin/connection.tsx"), "ConnectionPage"),
})
const provisioning = createRoute({
  getParentRoute: () => layout,
  path: "/provisioning",
  component: lazyRouteComponent(
    () => import("../pages/admin/provisioning.tsx"),
    "ProvisioningPage",
  ),
})
const audit = createRoute({
  getParentRoute: () => layout,
  path: "/audit",
  validateSearch: createListSearchParser(
    ...(["actor", "action", "operation", "target", "outcome", "hours"] as const),
  ),
  component: lazyRouteComponent(() => import("../pages/admin/audit.tsx"), "AuditPage"),
})
const auditEvent = createRoute({
  getParentRoute: () => layout,
  path: "/audit/$eventId",
  component: lazyRouteComponent(() => import("../pages/admin/audit-event.tsx"), "AuditEventPage"),
})
const usage = createRoute({
  getParentRoute: () => layout,
  path: "/usage",
  validateSearch: createListSearchParser("days", "by"),
  component: lazyRouteComponent(() => import("../pages/admin/usage.tsx"), "UsagePage"),
})
const ratings = createRoute({
  getParentRoute: () => layout,
  path: "/ratings",
  validateSearch: createListSearchParser("model", "value"),
  component: lazyRouteComponent(() => import("../pages/admin/ratings.tsx"), "RatingsPage"),
})
const signOn = createRoute({
  getParentRoute: () => layout,
  path: "/sign-on",
  component: lazyRouteComponent(() => import("../pages/admin/sign-on.tsx"), "SignOnPage"),
})
const settings = createRoute({
  getParentRoute: () => layout,
  path: "/settings",
  component: lazyRouteComponent(() => import("../pages/admin/settings.tsx"), "SettingsPage"),
})

export const adminRoutes = layout.addChildren([
  overview,
  users,
  newUser,
  user,
  invitations,
  newInvitation,
  groups,
  newGroup,
  group,
  connections,
  newConnection,
  connection,
  provisioning,
  usage,
  ratings,
  audit,
  auditEvent,
  signOn,
  settings,
])
