import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { discardDraftWithoutText } from "../lib/drafts.ts"
import type { FoundMessage } from "../pages/chat/found-message.ts"
import { signedInRoute } from "./root.tsx"

const page = () => import("../pages/chat/chat-page.tsx")

const parseModel = ({ model }: Record<string, unknown>): { model?: string | undefined } => ({
  model: typeof model === "string" ? model : undefined,
})

interface NewChatSearch {
  model?: string | undefined
  /** Project ID. */
  project?: string | undefined
  /** ID of a prompt to insert. */
  prompt?: string | undefined
}

const newChat = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/",
  validateSearch: ({ model, project, prompt }: Record<string, unknown>): NewChatSearch => ({
    model: typeof model === "string" ? model : undefined,
    project: typeof project === "string" ? project : undefined,
    prompt: typeof prompt === "string" ? prompt : undefined,
  }),
  onLeave: discardDraftWithoutText,
  component: lazyRouteComponent(page, "NewChatPage"),
})
const temporaryChat = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/temporary",
  validateSearch: parseModel,
  component: lazyRouteComponent(
    () => import("../pages/chat/temporary-chat-page.tsx"),
    "TemporaryChatPage",
  ),
})
const oldChat = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/c/$chatId",
  validateSearch: ({ message, find }: Record<string, unknown>): FoundMessage => ({
    message: typeof message === "string" ? message : undefined,
    find: typeof find === "string" ? find : undefined,
  }),
  component: lazyRouteComponent(page, "ChatPage"),
})
const sharedChat = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/s/$shareId",
  component: lazyRouteComponent(page, "SharedChatPage"),
})

export const chatRoutes = [newChat, temporaryChat, oldChat, sharedChat] as const
