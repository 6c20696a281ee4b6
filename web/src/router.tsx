import { createRouter } from "@tanstack/react-router"
import { Broken } from "./frame/lost.tsx"
import { accountRoutes } from "./routes/account.ts"
import { adminRoutes } from "./routes/admin.ts"
import { chatRoutes } from "./routes/chat.ts"
import { functionRoutes } from "./routes/functions.ts"
import { knowledgeRoutes } from "./routes/knowledge.ts"
import { modelRoutes } from "./routes/models.ts"
import { inside, root } from "./routes/root.tsx"
import { outsideRoutes, startRoutes } from "./routes/start.ts"

const routeTree = root.addChildren([
  ...outsideRoutes,
  inside.addChildren([
    ...startRoutes,
    ...chatRoutes,
    ...modelRoutes,
    functionRoutes,
    ...knowledgeRoutes,
    accountRoutes,
    adminRoutes,
  ]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: "intent",
  defaultErrorComponent: Broken,
  scrollRestoration: true,
  scrollToTopSelectors: ["#page"],
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
