import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { createListSearchParser } from "../lib/list-search-params.ts"
import { signedInRoute } from "./root.tsx"

const layout = createRoute({
  getParentRoute: () => signedInRoute,
  id: "account",
  component: lazyRouteComponent(() => import("../pages/account/layout.tsx"), "AccountLayout"),
})
const profile = createRoute({
  getParentRoute: () => layout,
  path: "/account",
  component: lazyRouteComponent(() => import("../pages/account/profile.tsx"), "ProfilePage"),
})
const instructions = createRoute({
  getParentRoute: () => layout,
  path: "/account/instructions",
  component: lazyRouteComponent(
    () => import("../pages/account/instructions.tsx"),
    "InstructionsPage",
  ),
})
const keys = createRoute({
  getParentRoute: () => layout,
  path: "/account/keys",
  component: lazyRouteComponent(() => import("../pages/account/keys.tsx"), "KeysPage"),
})
const newKey = createRoute({
  getParentRoute: () => layout,
  path: "/account/keys/new",
  component: lazyRouteComponent(() => import("../pages/account/new-key.tsx"), "NewKeyPage"),
})
const programs = createRoute({
  getParentRoute: () => layout,
  path: "/account/programs",
  validateSearch: createListSearchParser("program"),
  component: lazyRouteComponent(() => import("../pages/account/programs.tsx"), "ProgramsPage"),
})
const usage = createRoute({
  getParentRoute: () => layout,
  path: "/account/usage",
  validateSearch: createListSearchParser("days", "by"),
  component: lazyRouteComponent(() => import("../pages/admin/usage.tsx"), "OwnUsagePage"),
})
const sessions = createRoute({
  getParentRoute: () => layout,
  path: "/account/sessions",
  component: lazyRouteComponent(() => import("../pages/account/sessions.tsx"), "SessionsPage"),
})

export const accountRoutes = layout.addChildren([
  profile,
  instructions,
  keys,
  newKey,
  programs,
  usage,
  sessions,
])
