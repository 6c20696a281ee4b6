import { useQuery } from "@tanstack/react-query"
import {
  Archive,
  ChevronDown,
  FileDown,
  FileUp,
  ListChecks,
  MessagesSquare,
  Tag,
} from "lucide-react"
import { useRef } from "react"
import { t } from "../../i18n/translate.ts"
import { labelsQuery } from "../../lib/chat-api.ts"
import { Menu, MenuItem, MenuSeparator } from "../../ui/menu.tsx"
import { startSelectingChats } from "./chat-selection.ts"

/** Which chats the list shows. */
export type ChatListScope = { kind: "all" } | { kind: "archive" } | { kind: "tag"; name: string }

const titleOf = (scope: ChatListScope): string => {
  if (scope.kind === "all") return t("label.chats")
  return scope.kind === "archive" ? t("chat.archived") : scope.name
}

interface ChatListMenuProps {
  scope: ChatListScope
  onScope: (scope: ChatListScope) => void
  onImport: (files: File[]) => void
}

/** Selects a tag or the archive; starts selecting chats; imports and exports chats. */
export const ChatListMenu = ({ scope, onScope, onImport }: ChatListMenuProps) => {
  const { data } = useQuery(labelsQuery)
  const picker = useRef<HTMLInputElement>(null)
  return (
    <div className="min-w-0">
      <Menu
        align="start"
        trigger={
          <button
            type="button"
            aria-label={`${t("chat.filter")}: ${titleOf(scope)}`}
            className="flex h-8 max-w-full items-center gap-1 rounded text-xs font-medium text-muted hover:text-text"
          >
            <span className="truncate">{titleOf(scope)}</span>
            <ChevronDown aria-hidden className="size-3.5 shrink-0" />
          </button>
        }
      >
        <MenuItem icon={MessagesSquare} onClick={() => onScope({ kind: "all" })}>
          {t("chat.all")}
        </MenuItem>
        {data?.tags.map((name) => (
          <MenuItem key={name} icon={Tag} onClick={() => onScope({ kind: "tag", name })}>
            {name}
          </MenuItem>
        ))}
        <MenuItem icon={Archive} onClick={() => onScope({ kind: "archive" })}>
          {t("chat.archived")}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={ListChecks} onClick={startSelectingChats}>
          {t("select.start")}
        </MenuItem>
        <MenuItem icon={FileUp} onClick={() => picker.current?.click()}>
          {t("chat.import")}
        </MenuItem>
        <MenuItem icon={FileDown} onClick={() => window.location.assign("/api/v1/chats/export")}>
          {t("chat.exportAll")}
        </MenuItem>
      </Menu>
      <input
        ref={picker}
        type="file"
        hidden
        multiple
        accept=".json,.md,.markdown"
        onChange={(event) => {
          onImport([...(event.target.files ?? [])])
          event.target.value = ""
        }}
      />
    </div>
  )
}
