import { createPageRoutes } from "./create-page-routes.ts"
import { signedInRoute } from "./root.tsx"

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The text that the form for a new prompt opens with. */
    promptText?: string
  }
}

const { page, listPage } = createPageRoutes(signedInRoute)

export const promptRoutes = [
  listPage("/prompts", [], "PromptsPage", () => import("../pages/prompts/list.tsx")),
  page("/prompts/new", "NewPromptPage", () => import("../pages/prompts/create.tsx")),
  page("/prompts/$promptId", "PromptPage", () => import("../pages/prompts/prompt.tsx")),
] as const
