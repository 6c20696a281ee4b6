import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { discardDraftWithoutText } from "../lib/drafts.ts"
import { readSearchText } from "../lib/list-search-params.ts"
import type { FoundMessage } from "../pages/chat/found-message.ts"
import { createPageRoutes } from "./create-page-routes.ts"
import { signedInRoute } from "./root.tsx"

const { page } = createPageRoutes(signedInRoute)
const load = () => import("../pages/chat/chat-page.tsx")

interface NewChatSearch {
  model?: string | undefined
  /** Project ID. */
  project?: string | undefined
  /** ID of a prompt to insert. */
  prompt?: string | undefined
}

export const chatRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: "/",
    validateSearch: ({ model, project, prompt }: Record<string, unknown>): NewChatSearch => ({
      model: readSearchText(model),
      project: readSearchText(project),
      prompt: readSearchText(prompt),
    }),
    onLeave: discardDraftWithoutText,
    component: lazyRouteComponent(load, "NewChatPage"),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: "/temporary",
    validateSearch: ({ model }: Record<string, unknown>): { model?: string | undefined } => ({
      model: readSearchText(model),
    }),
    component: lazyRouteComponent(
      () => import("../pages/chat/temporary-chat-page.tsx"),
      "TemporaryChatPage",
    ),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: "/c/$chatId",
    validateSearch: ({ message, find }: Record<string, unknown>): FoundMessage => ({
      message: readSearchText(message),
      find: readSearchText(find),
    }),
    component: lazyRouteComponent(load, "ChatPage"),
  }),
  page("/s/$shareId", "SharedChatPage", load),
] as const
