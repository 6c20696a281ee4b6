import { createRoute, lazyRouteComponent, notFound } from "@tanstack/react-router"
import { createListSearchParser } from "../lib/list-search-params.ts"
import { findPageSession } from "../lib/session.ts"
import { signedInRoute } from "./root.tsx"

const area = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/functions",
  beforeLoad: async () => {
    const session = await findPageSession()
    if (session?.user.role !== "admin") throw notFound()
  },
})
const list = createRoute({
  getParentRoute: () => area,
  path: "/",
  validateSearch: createListSearchParser("kind", "state"),
  component: lazyRouteComponent(() => import("../pages/functions/list.tsx"), "FunctionsPage"),
})
const create = createRoute({
  getParentRoute: () => area,
  path: "/new",
  component: lazyRouteComponent(() => import("../pages/functions/create.tsx"), "NewFunctionPage"),
})
const one = createRoute({
  getParentRoute: () => area,
  path: "/$functionId",
  component: lazyRouteComponent(() => import("../pages/functions/function.tsx"), "FunctionPage"),
})
const code = createRoute({
  getParentRoute: () => one,
  path: "/",
  component: lazyRouteComponent(() => import("../pages/functions/code.tsx"), "CodePart"),
})
const settings = createRoute({
  getParentRoute: () => one,
  path: "/settings",
  component: lazyRouteComponent(() => import("../pages/functions/settings.tsx"), "SettingsPart"),
})
const access = createRoute({
  getParentRoute: () => one,
  path: "/access",
  component: lazyRouteComponent(() => import("../pages/functions/access.tsx"), "AccessPart"),
})
const versions = createRoute({
  getParentRoute: () => one,
  path: "/versions",
  component: lazyRouteComponent(() => import("../pages/functions/versions.tsx"), "VersionsPart"),
})
const runs = createRoute({
  getParentRoute: () => one,
  path: "/runs",
  component: lazyRouteComponent(() => import("../pages/functions/runs.tsx"), "RunsPart"),
})

export const functionRoutes = area.addChildren([
  list,
  create,
  one.addChildren([code, settings, access, versions, runs]),
])
