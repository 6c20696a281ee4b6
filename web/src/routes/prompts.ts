import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { createListSearchParser } from "../lib/list-search-params.ts"
import { signedInRoute } from "./root.tsx"

const list = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/prompts",
  validateSearch: createListSearchParser(),
  component: lazyRouteComponent(() => import("../pages/prompts/list.tsx"), "PromptsPage"),
})
const create = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/prompts/new",
  component: lazyRouteComponent(() => import("../pages/prompts/create.tsx"), "NewPromptPage"),
})
const one = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/prompts/$promptId",
  component: lazyRouteComponent(() => import("../pages/prompts/prompt.tsx"), "PromptPage"),
})

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The text that the form for a new prompt opens with. */
    promptText?: string
  }
}

export const promptRoutes = [list, create, one] as const
