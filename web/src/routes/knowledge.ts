import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { parseFileSearch, parseKnowledgeSearch } from "../lib/knowledge-search-params.ts"
import { createPageRoutes } from "./create-page-routes.ts"
import { signedInRoute } from "./root.tsx"

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The answer to the preceding question of a test search. */
    previousAnswer?: string | undefined
  }
}

const area = createRoute({
  getParentRoute: () => signedInRoute,
  id: "knowledge",
  component: lazyRouteComponent(() => import("../pages/knowledge/layout.tsx"), "KnowledgeLayout"),
})
const { listPage } = createPageRoutes(area)
const { page } = createPageRoutes(signedInRoute)
const collection = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/knowledge/$collectionId",
  component: lazyRouteComponent(
    () => import("../pages/knowledge/collection.tsx"),
    "CollectionLayout",
  ),
})
const tabs = createPageRoutes(collection)
const file = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/knowledge/files/$fileId",
  validateSearch: parseFileSearch,
  component: lazyRouteComponent(() => import("../pages/knowledge/file.tsx"), "FilePage"),
})
const playground = createRoute({
  getParentRoute: () => collection,
  path: "/search",
  validateSearch: parseKnowledgeSearch,
  component: lazyRouteComponent(
    () => import("../pages/knowledge/playground.tsx"),
    "PlaygroundPage",
  ),
})

export const knowledgeRoutes = [
  area.addChildren([
    listPage("/knowledge", [], "CollectionsPage", () => import("../pages/knowledge/list.tsx")),
    listPage(
      "/knowledge/files",
      ["status"],
      "FilesPage",
      () => import("../pages/knowledge/files.tsx"),
    ),
  ]),
  page("/knowledge/new", "NewCollectionPage", () => import("../pages/knowledge/create.tsx")),
  file,
  collection.addChildren([
    tabs.listPage(
      "/",
      ["status"],
      "CollectionFilesPage",
      () => import("../pages/knowledge/collection-files.tsx"),
    ),
    playground,
    tabs.listPage(
      "/questions",
      ["state"],
      "QuestionsPage",
      () => import("../pages/knowledge/questions.tsx"),
    ),
    tabs.page(
      "/settings",
      "CollectionSettingsPage",
      () => import("../pages/knowledge/collection-settings.tsx"),
    ),
  ]),
] as const
