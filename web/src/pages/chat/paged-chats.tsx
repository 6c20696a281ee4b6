import type { ReactNode } from "react"
import { t } from "../../i18n/translate.ts"
import type { ChatFilter, ChatListItem } from "../../lib/chat-api.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { useChatList } from "./use-chat-list.ts"

interface PagedChatsProps {
  filter: ChatFilter
  /** Rows shown while the chats load. */
  skeletonRows: number
  children: (chats: readonly ChatListItem[]) => ReactNode
}

/** The chats that pass a filter, and a button that loads more of them. */
export const PagedChats = ({ filter, skeletonRows, children }: PagedChatsProps) => {
  const { chats, error, isPending, refetch, ...pages } = useChatList(filter)
  if (isPending) return <Skeleton rows={skeletonRows} height={34} />
  if (error && chats.length === 0) return <ErrorNote error={error} retry={() => void refetch()} />
  return (
    <>
      {children(chats)}
      {pages.hasNextPage && (
        <Button
          variant="quiet"
          className="mt-1 w-full"
          busy={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          {t("chat.more")}
        </Button>
      )}
    </>
  )
}
