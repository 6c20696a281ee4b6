import { useQuery } from "@tanstack/react-query"
import { t } from "../../i18n/translate.ts"
import type { ChatFilter, ChatListItem } from "../../lib/chat-api.ts"
import { projectsQuery } from "../../lib/project-api.ts"
import { Skeleton } from "../../ui/skeleton.tsx"
import { ChatDropTarget } from "./chat-drag.tsx"
import type { ChatListScope } from "./chat-list-menu.tsx"
import { ChatRow } from "./chat-row.tsx"
import { PagedChats } from "./paged-chats.tsx"
import { SidebarProjects, useOpenProjectsLoaded } from "./sidebar-projects.tsx"
import { useChatList } from "./use-chat-list.ts"

const midnight = (): number => new Date().setHours(0, 0, 0, 0) / 1000

const unfiledChats: ChatFilter = { without_folder: true }
const pinnedChats: ChatFilter = { pinned: true }

const GroupTitle = ({ children }: { children: string }) => (
  <h3 className="px-2.5 py-1 text-xs font-medium text-muted">{children}</h3>
)

interface GroupProps {
  title: string
  chats: readonly ChatListItem[]
  query?: string
}

const Group = ({ title, chats, query = "" }: GroupProps) => {
  if (chats.length === 0) return null
  return (
    <section className="mt-2">
      <GroupTitle>{title}</GroupTitle>
      <ul>
        {chats.map((chat) => (
          <ChatRow key={chat.id} chat={chat} query={query} />
        ))}
      </ul>
    </section>
  )
}

interface DatedChatsProps {
  chats: readonly ChatListItem[]
  query: string
  /** Whether pinned chats are listed elsewhere. */
  hidesPinned?: boolean
  emptyText: string
}

/** Chats by when they were changed. */
const DatedChats = ({ chats, query, hidesPinned = false, emptyText }: DatedChatsProps) => {
  const today = midnight()
  const pinned = chats.filter((chat) => chat.pinned)
  const rest = chats.filter((chat) => !chat.pinned)
  if (chats.length === 0) {
    return (
      <section className="mt-2">
        {/* The text would seem to be about the projects above. */}
        {hidesPinned && <GroupTitle>{t("chat.today")}</GroupTitle>}
        <p className="px-2.5 py-1 text-sm text-muted">{emptyText}</p>
      </section>
    )
  }
  const groups = [
    [t("chat.pinned"), hidesPinned ? [] : pinned],
    [t("chat.today"), rest.filter((chat) => chat.updated_at >= today)],
    [t("chat.earlier"), rest.filter((chat) => chat.updated_at < today)],
  ] as const
  return groups.map(([title, members]) => (
    <Group key={title} title={title} chats={members} query={query} />
  ))
}

const PinnedChats = () => {
  const { chats } = useChatList(pinnedChats)
  return <Group title={t("chat.pinned")} chats={chats} />
}

/** Whether all parts of the list are loaded: parts that arrive later would push others down. */
const useIsLoaded = (): boolean => {
  const pinned = useChatList(pinnedChats)
  const projects = useQuery(projectsQuery)
  const unfiled = useChatList(unfiledChats)
  const areProjectsLoaded = useOpenProjectsLoaded()
  return areProjectsLoaded && ![pinned, projects, unfiled].some(({ isPending }) => isPending)
}

/** Pinned chats, projects, and the other chats. */
const AllChats = ({ onMove }: Pick<ChatListProps, "onMove">) => {
  const isLoaded = useIsLoaded()
  if (!isLoaded) return <Skeleton rows={6} height={34} />
  return (
    <>
      <PinnedChats />
      <SidebarProjects onMove={onMove} />
      <ChatDropTarget onChats={(ids) => onMove(ids, null)}>
        <PagedChats filter={unfiledChats} skeletonRows={6}>
          {(chats) => <DatedChats chats={chats} query="" hidesPinned emptyText={t("chat.none")} />}
        </PagedChats>
      </ChatDropTarget>
    </>
  )
}

interface ChatListProps {
  scope: ChatListScope
  query: string
  onMove: (ids: string[], folder: string | null) => void
}

/** All chats, or the result of a search or filter. */
export const ChatList = ({ scope, query, onMove }: ChatListProps) => {
  if (scope.kind === "all" && query === "") return <AllChats onMove={onMove} />
  const filter: ChatFilter = {
    ...(query && { query }),
    ...(scope.kind === "archive" && { archived: true }),
    ...(scope.kind === "tag" && { tag: scope.name }),
  }
  const isUnfiltered = query === "" && scope.kind === "archive"
  const emptyText = t(isUnfiltered ? "chat.noneArchived" : "chat.noneFound")
  return (
    <PagedChats filter={filter} skeletonRows={6}>
      {(chats) => <DatedChats chats={chats} query={query} emptyText={emptyText} />}
    </PagedChats>
  )
}
