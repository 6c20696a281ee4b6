import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { parseFileSearch, parseKnowledgeSearch } from "../lib/knowledge-search-params.ts"
import { createListSearchParser } from "../lib/list-search-params.ts"
import { signedInRoute } from "./root.tsx"

const area = createRoute({
  getParentRoute: () => signedInRoute,
  id: "knowledge",
  component: lazyRouteComponent(() => import("../pages/knowledge/layout.tsx"), "KnowledgeLayout"),
})
const list = createRoute({
  getParentRoute: () => area,
  path: "/knowledge",
  validateSearch: createListSearchParser(),
  component: lazyRouteComponent(() => import("../pages/knowledge/list.tsx"), "CollectionsPage"),
})
const files = createRoute({
  getParentRoute: () => area,
  path: "/knowledge/files",
  validateSearch: createListSearchParser("status"),
  component: lazyRouteComponent(() => import("../pages/knowledge/files.tsx"), "FilesPage"),
})
const create = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/knowledge/new",
  component: lazyRouteComponent(() => import("../pages/knowledge/create.tsx"), "NewCollectionPage"),
})
const file = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/knowledge/files/$fileId",
  validateSearch: parseFileSearch,
  component: lazyRouteComponent(() => import("../pages/knowledge/file.tsx"), "FilePage"),
})
const collection = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/knowledge/$collectionId",
  component: lazyRouteComponent(
    () => import("../pages/knowledge/collection.tsx"),
    "CollectionLayout",
  ),
})
const collectionFiles = createRoute({
  getParentRoute: () => collection,
  path: "/",
  validateSearch: createListSearchParser("status"),
  component: lazyRouteComponent(
    () => import("../pages/knowledge/collection-files.tsx"),
    "CollectionFilesPage",
  ),
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
const settings = createRoute({
  getParentRoute: () => collection,
  path: "/settings",
  component: lazyRouteComponent(
    () => import("../pages/knowledge/collection-settings.tsx"),
    "CollectionSettingsPage",
  ),
})

export const knowledgeRoutes = [
  area.addChildren([list, files]),
  create,
  file,
  collection.addChildren([collectionFiles, playground, settings]),
] as const
