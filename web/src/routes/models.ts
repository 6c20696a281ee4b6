import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { createListSearchParser } from "../lib/list-search-params.ts"
import { signedInRoute } from "./root.tsx"

const list = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/models",
  validateSearch: createListSearchParser("kind", "state"),
  component: lazyRouteComponent(() => import("../pages/models/list.tsx"), "ModelsPage"),
})
const create = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/models/new",
  validateSearch: ({ base }: Record<string, unknown>): { base?: string | undefined } => ({
    base: typeof base === "string" ? base : undefined,
  }),
  component: lazyRouteComponent(() => import("../pages/models/create.tsx"), "NewModelPage"),
})
const one = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/models/view/$modelId",
  component: lazyRouteComponent(() => import("../pages/models/model.tsx"), "ModelPage"),
})
const runtime = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/models/runtime",
  component: lazyRouteComponent(() => import("../pages/models/runtime.tsx"), "RuntimePage"),
})

export const modelRoutes = [list, create, runtime, one] as const
