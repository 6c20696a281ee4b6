import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { readSearchText } from "../lib/list-search-params.ts"
import { createPageRoutes } from "./create-page-routes.ts"
import { signedInRoute } from "./root.tsx"

const { page, listPage } = createPageRoutes(signedInRoute)

export const modelRoutes = [
  listPage("/models", ["kind", "state"], "ModelsPage", () => import("../pages/models/list.tsx")),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: "/models/new",
    validateSearch: ({ base }: Record<string, unknown>): { base?: string | undefined } => ({
      base: readSearchText(base),
    }),
    component: lazyRouteComponent(() => import("../pages/models/create.tsx"), "NewModelPage"),
  }),
  page("/models/runtime", "RuntimePage", () => import("../pages/models/runtime.tsx")),
  page("/models/view/$modelId", "ModelPage", () => import("../pages/models/model.tsx")),
] as const
