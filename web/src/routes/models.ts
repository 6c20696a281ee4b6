import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { listSearch } from "../lib/list-search.ts"
import { inside } from "./root.tsx"

const list = createRoute({
  getParentRoute: () => inside,
  path: "/models",
  validateSearch: listSearch("kind", "state"),
  component: lazyRouteComponent(() => import("../pages/models/list.tsx"), "ModelsPage"),
})
const create = createRoute({
  getParentRoute: () => inside,
  path: "/models/new",
  validateSearch: ({ base }: Record<string, unknown>): { base?: string | undefined } => ({
    base: typeof base === "string" ? base : undefined,
  }),
  component: lazyRouteComponent(() => import("../pages/models/create.tsx"), "NewModelPage"),
})
const one = createRoute({
  getParentRoute: () => inside,
  path: "/models/view/$modelId",
  component: lazyRouteComponent(() => import("../pages/models/model.tsx"), "ModelPage"),
})
const runtime = createRoute({
  getParentRoute: () => inside,
  path: "/models/runtime",
  component: lazyRouteComponent(() => import("../pages/models/runtime.tsx"), "RuntimePage"),
})

export const modelRoutes = [list, create, runtime, one] as const
