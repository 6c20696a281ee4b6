import { createRouter } from "@tanstack/react-router"
import { ErrorPage, NotFoundPage } from "./frame/error-pages.tsx"
import { accountRoutes } from "./routes/account.ts"
import { adminRoutes } from "./routes/admin.ts"
import { chatRoutes } from "./routes/chat.ts"
import { functionRoutes } from "./routes/functions.ts"
import { knowledgeRoutes } from "./routes/knowledge.ts"
import { modelRoutes } from "./routes/models.ts"
import { projectRoutes } from "./routes/projects.ts"
import { promptRoutes } from "./routes/prompts.ts"
import { notFoundRoute, rootRoute, signedInRoute } from "./routes/root.tsx"
import { signedOutRoutes, startRoutes } from "./routes/start.ts"

const routeTree = rootRoute.addChildren([
  ...signedOutRoutes,
  signedInRoute.addChildren([
    ...startRoutes,
    ...chatRoutes,
    ...projectRoutes,
    ...modelRoutes,
    functionRoutes,
    ...knowledgeRoutes,
    ...promptRoutes,
    accountRoutes,
    adminRoutes,
    notFoundRoute,
  ]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: "intent",
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
  scrollToTopSelectors: ["#page"],
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
