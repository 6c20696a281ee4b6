import { useInfiniteQuery } from "@tanstack/react-query"
import { type ChatFilter, chatListQuery } from "../../lib/chat-api.ts"
import { useDeletedChatIds } from "./chat-deletions.ts"

/** A list of chats, without those that are being deleted. */
export const useChatList = (filter: ChatFilter) => {
  const query = useInfiniteQuery({
    ...chatListQuery(filter),
    placeholderData: (before) => before,
  })
  const hidden = useDeletedChatIds()
  const all = query.data?.pages.flatMap(({ items }) => items) ?? []
  // Pages shift when a chat moves up, so the same chat may appear on two of them.
  const chats = [...new Map(all.map((chat) => [chat.id, chat])).values()]
  return { ...query, chats: chats.filter(({ id }) => !hidden.has(id)) }
}
