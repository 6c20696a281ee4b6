import { useInfiniteQuery } from "@tanstack/react-query"
import { useRouterState } from "@tanstack/react-router"
import { Search, X } from "lucide-react"
import { useDeferredValue, useEffect, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { type ChatFilter, type ChatListItem, chatListQuery } from "../../lib/chat-api.ts"
import { subscribeToServerEvents } from "../../lib/server-events.ts"
import { Button, IconButton } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { ChatListMenu, type ChatListScope } from "./chat-list-menu.tsx"
import { ChatRow } from "./chat-row.tsx"
import { useHiddenChats } from "./deletions.ts"
import { ImportStatus, type ImportSummary, importFiles } from "./import-chats.tsx"

const midnight = (): number => new Date().setHours(0, 0, 0, 0) / 1000

interface GroupProps {
  title: string
  chats: readonly ChatListItem[]
  query: string
}

const Group = ({ title, chats, query }: GroupProps) => {
  if (chats.length === 0) return null
  return (
    <section className="mt-2">
      <h3 className="px-2.5 py-1 text-xs font-medium text-muted">{title}</h3>
      <ul>
        {chats.map((chat) => (
          <ChatRow key={chat.id} chat={chat} query={query} />
        ))}
      </ul>
    </section>
  )
}

const useChats = (filter: ChatFilter) => {
  const query = useInfiniteQuery({
    ...chatListQuery(filter),
    placeholderData: (before) => before,
  })
  const hidden = useHiddenChats()
  const all = query.data?.pages.flatMap(({ items }) => items) ?? []
  // Pages shift when a chat moves up, so the same chat may appear on two of them.
  const chats = [...new Map(all.map((chat) => [chat.id, chat])).values()]
  return { ...query, chats: chats.filter(({ id }) => !hidden.has(id)) }
}

interface ListProps {
  scope: ChatListScope
  query: string
}

const EmptyList = ({ scope, query }: ListProps) => {
  const archive = scope.kind === "archive" ? "chat.noneArchived" : "chat.none"
  return (
    <p className="px-2.5 py-3 text-sm text-muted">{t(query === "" ? archive : "chat.noneFound")}</p>
  )
}

const filterOf = ({ scope, query }: ListProps): ChatFilter => ({
  ...(query && { query }),
  ...(scope.kind === "archive" && { archived: true }),
  ...(scope.kind === "folder" && { folder: scope.name }),
  ...(scope.kind === "tag" && { tag: scope.name }),
})

const List = (props: ListProps) => {
  const { chats, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } =
    useChats(filterOf(props))
  if (isPending) return <Skeleton rows={6} height={34} />
  if (error && chats.length === 0) {
    return <ErrorNote error={error} retry={() => void refetch()} />
  }
  const today = midnight()
  const rest = chats.filter(({ pinned }) => !pinned)
  const groups = [
    [t("chat.pinned"), chats.filter(({ pinned }) => pinned)],
    [t("chat.today"), rest.filter((chat) => chat.updated_at >= today)],
    [t("chat.earlier"), rest.filter((chat) => chat.updated_at < today)],
  ] as const
  return (
    <>
      {chats.length === 0 && <EmptyList {...props} />}
      {groups.map(([title, members]) => (
        <Group key={title} title={title} chats={members} query={props.query} />
      ))}
      {hasNextPage && (
        <Button
          variant="quiet"
          className="mt-1 w-full"
          busy={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t("chat.more")}
        </Button>
      )}
    </>
  )
}

/** Imports files; the result is shown until it is dismissed or another page is opened. */
const useImports = () => {
  const [state, setState] = useState<ImportSummary | "busy" | null>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const dismiss = (): void => setState((before) => (before === "busy" ? before : null))
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page dismisses the result
  useEffect(dismiss, [path])
  const start = (files: File[]): void => {
    setState("busy")
    void importFiles(files).then(setState)
  }
  return { state, start, dismiss }
}

/** The list of chats in the sidebar. */
export const SidebarChats = () => {
  const [scope, setScope] = useState<ChatListScope>({ kind: "all" })
  const [query, setQuery] = useState<string | null>(null)
  const deferredQuery = useDeferredValue(query?.trim() ?? "")
  const imports = useImports()
  useEffect(subscribeToServerEvents, [])
  return (
    <nav aria-label={t("chat.chats")}>
      <div className="flex items-center justify-between gap-1 pl-2.5">
        <ChatListMenu scope={scope} onScope={setScope} onImport={imports.start} />
        <IconButton
          icon={query === null ? Search : X}
          label={t(query === null ? "chat.search" : "list.clear")}
          onClick={() => setQuery(query === null ? "" : null)}
        />
      </div>
      {query !== null && (
        <input
          // biome-ignore lint/a11y/noAutofocus: the user just opened it
          autoFocus
          type="search"
          value={query}
          aria-label={t("chat.search")}
          placeholder={t("chat.search")}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => event.key === "Escape" && setQuery(null)}
          className="mt-1 h-8.5 w-full rounded border border-line-strong bg-bg px-2.5 text-sm"
        />
      )}
      <ImportStatus state={imports.state} onDismiss={imports.dismiss} />
      <List scope={scope} query={deferredQuery} />
    </nav>
  )
}
