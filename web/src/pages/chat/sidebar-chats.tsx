import { useRouterState } from "@tanstack/react-router"
import { Search, X } from "lucide-react"
import { useDeferredValue, useEffect, useRef, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { subscribeToServerEvents } from "../../lib/server-events.ts"
import { IconButton } from "../../ui/button.tsx"
import { useChangeChats } from "./change-chats.tsx"
import { ChatList } from "./chat-list.tsx"
import { ChatListMenu, type ChatListScope } from "./chat-list-menu.tsx"
import { useChatSelection } from "./chat-selection.ts"
import { ImportStatus, type ImportSummary, importChatFiles } from "./import-chats.tsx"
import { SelectionBar } from "./selection-bar.tsx"

/**
 * Imports files; the result is shown until it is dismissed, another page is opened, or the sidebar
 * over the page is closed.
 */
const useImports = (isOverPage: boolean) => {
  const [state, setState] = useState<ImportSummary | "busy" | null>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const dismiss = (): void => setState((before) => (before === "busy" ? before : null))
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page dismisses the result
  useEffect(() => {
    if (!isOverPage) dismiss()
  }, [path, isOverPage])
  const start = (files: File[]): void => {
    setState("busy")
    void importChatFiles(files).then(setState)
  }
  return { state, start, dismiss }
}

/** The controls above the list change with the mode, so the focus moves on to the new ones. */
const useFocusOnModeChange = (isSelecting: boolean) => {
  const list = useRef<HTMLElement>(null)
  const wasSelecting = useRef(isSelecting)
  useEffect(() => {
    if (wasSelecting.current === isSelecting) return
    wasSelecting.current = isSelecting
    list.current?.querySelector("button")?.focus()
  }, [isSelecting])
  return list
}

interface SidebarChatsProps {
  /** The sidebar is open over the page, on a narrow screen. */
  isOverPage: boolean
}

/** The list of chats in the sidebar. */
export const SidebarChats = ({ isOverPage }: SidebarChatsProps) => {
  const [scope, setScope] = useState<ChatListScope>({ kind: "all" })
  const [query, setQuery] = useState<string | null>(null)
  const deferredQuery = useDeferredValue(query?.trim() ?? "")
  const imports = useImports(isOverPage)
  const selection = useChatSelection()
  const { change, dialog } = useChangeChats()
  const list = useFocusOnModeChange(selection !== null)
  useEffect(subscribeToServerEvents, [])
  return (
    <nav ref={list} aria-label={t("label.chats")}>
      {selection && <SelectionBar selection={selection} />}
      {!selection && (
        <div className="flex items-center justify-between gap-1 pl-2.5">
          <ChatListMenu scope={scope} onScope={setScope} onImport={imports.start} />
          <IconButton
            icon={query === null ? Search : X}
            label={t(query === null ? "chat.search" : "list.clear")}
            onClick={() => setQuery(query === null ? "" : null)}
          />
        </div>
      )}
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
          className="mt-1 h-8.5 w-full rounded border border-field bg-bg px-2.5 text-sm outline-offset-[-2px]"
        />
      )}
      <ImportStatus state={imports.state} onDismiss={imports.dismiss} />
      <ChatList
        scope={scope}
        query={deferredQuery}
        onMove={(ids, folder) => void change(ids, { folder })}
      />
      {dialog}
    </nav>
  )
}
