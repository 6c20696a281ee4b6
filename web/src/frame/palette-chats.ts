import { useInfiniteQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { MessageSquare } from "lucide-react"
import { useDeferredValue } from "react"
import { t } from "../i18n/translate.ts"
import { chatListQuery } from "../lib/chat-api.ts"
import { foundMessageOf } from "../pages/chat/found-message.ts"
import type { Command } from "./command.ts"

const maxShown = 8

/** Chats for the command palette, found by title or content. */
export const usePaletteChats = (query: string): Command[] => {
  const deferredQuery = useDeferredValue(query.trim())
  const navigate = useNavigate()
  const { data } = useInfiniteQuery({
    ...chatListQuery(deferredQuery === "" ? {} : { query: deferredQuery }),
    placeholderData: (before) => before,
  })
  const items = data?.pages[0]?.items ?? []
  return items.slice(0, maxShown).map((chat) => ({
    id: `chat-${chat.id}`,
    label: chat.title || t("chat.untitled"),
    group: t("label.chats"),
    icon: MessageSquare,
    changedAt: chat.updated_at,
    ...(chat.snippet !== null && { excerpt: { text: chat.snippet, query: deferredQuery } }),
    run: () =>
      void navigate({
        to: "/c/$chatId",
        params: { chatId: chat.id },
        search: foundMessageOf(chat, deferredQuery),
      }),
  }))
}
