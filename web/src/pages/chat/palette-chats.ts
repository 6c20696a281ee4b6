import { useInfiniteQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { MessageSquare } from "lucide-react"
import { useDeferredValue } from "react"
import type { Command } from "../../frame/command-palette.tsx"
import { t } from "../../i18n/translate.ts"
import { chatListQuery } from "../../lib/chat-api.ts"

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
  return items.slice(0, maxShown).map(({ id, title, snippet }) => ({
    id: `chat-${id}`,
    label: title || t("chat.untitled"),
    group: t("chat.chats"),
    icon: MessageSquare,
    ...(snippet !== null && { excerpt: { text: snippet, query: deferredQuery } }),
    run: () => void navigate({ to: "/c/$chatId", params: { chatId: id } }),
  }))
}
