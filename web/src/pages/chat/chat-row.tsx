import { Link } from "@tanstack/react-router"
import { Ellipsis } from "lucide-react"
import { memo, type ReactNode, useRef } from "react"
import { t } from "../../i18n/translate.ts"
import type { ChatListItem } from "../../lib/chat-api.ts"
import { formatExactTime } from "../../lib/format.ts"
import { IconButton } from "../../ui/button.tsx"
import { MarkedText } from "../../ui/marked-text.tsx"
import { Time } from "../../ui/time.tsx"
import { startChatDrag } from "./chat-drag.tsx"
import { ChatMenu } from "./chat-menu.tsx"
import { toggleChat, useChatSelection } from "./chat-selection.ts"
import { foundMessageOf } from "./found-message.ts"
import { SharedMark } from "./shared-mark.tsx"
import { useFocusAfterRowRemoval } from "./use-focus-after-row-removal.ts"

interface ChatRowProps {
  chat: ChatListItem
  /** What was searched for; marked in the title and the excerpt. */
  query?: string
}

const titleOf = (chat: ChatListItem): string => chat.title || t("chat.untitled")

const Label = ({ chat, query = "" }: ChatRowProps) => (
  <>
    <span className="flex items-center gap-2">
      <span className="min-w-0 flex-1 truncate">
        <MarkedText text={titleOf(chat)} query={query} />
      </span>
      {chat.shared && <SharedMark />}
      {chat.running && (
        <span
          role="img"
          aria-label={t("chat.isRunning")}
          className="size-2 shrink-0 animate-pulse rounded-full bg-accent"
        />
      )}
    </span>
    {chat.snippet && (
      <span className="line-clamp-2 text-xs font-normal text-muted">
        <MarkedText text={chat.snippet} query={query} />
      </span>
    )}
    {query !== "" && (
      <span className="block text-xs font-normal text-muted">
        <Time at={chat.updated_at} />
      </span>
    )}
  </>
)

const LinkRow = ({ chat, query = "", children }: ChatRowProps & { children: ReactNode }) => (
  <>
    <Link
      to="/c/$chatId"
      params={{ chatId: chat.id }}
      search={foundMessageOf(chat, query)}
      preload={false}
      title={`${titleOf(chat)}\n${formatExactTime(chat.updated_at)}`}
      className="block rounded py-1.5 pr-9 pl-2.5 text-sm hover:bg-hover data-[status=active]:bg-hover data-[status=active]:font-medium"
    >
      {children}
    </Link>
    <span className="absolute top-0.5 right-0.5 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-data-popup-open:opacity-100 [@media(hover:none)]:opacity-100">
      <ChatMenu
        chat={chat}
        trigger={
          <IconButton
            icon={Ellipsis}
            label={`${t("chat.menu")}: ${titleOf(chat)}`}
            className="size-7.5"
          />
        }
      />
    </span>
  </>
)

interface CheckboxRowProps {
  chat: ChatListItem
  checked: boolean
  children: ReactNode
}

const CheckboxRow = ({ chat, checked, children }: CheckboxRowProps) => {
  const isShiftHeld = useRef(false)
  const rememberShift = ({ shiftKey }: { shiftKey: boolean }): void => {
    isShiftHeld.current = shiftKey
  }
  return (
    <label
      onPointerDown={rememberShift}
      onKeyDown={rememberShift}
      className="flex cursor-pointer items-start gap-2 rounded px-2.5 py-1.5 text-sm select-none hover:bg-hover has-checked:bg-accent-soft"
    >
      <input
        type="checkbox"
        checked={checked}
        onChange={() => toggleChat(chat.id, isShiftHeld.current)}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0 flex-1">{children}</span>
    </label>
  )
}

/**
 * A chat in the sidebar's list: a link with a menu, or a checkbox while chats are selected.
 * Re-renders only if it changed.
 */
export const ChatRow = memo(({ chat, query = "" }: ChatRowProps) => {
  const selection = useChatSelection()
  const row = useFocusAfterRowRemoval(chat.id)
  const label = <Label chat={chat} query={query} />
  return (
    <li
      ref={row}
      className="group relative"
      data-chat-id={chat.id}
      data-chat-title={chat.title}
      draggable
      onDragStart={(event) => startChatDrag(event, chat.id)}
    >
      {selection ? (
        <CheckboxRow chat={chat} checked={selection.has(chat.id)}>
          {label}
        </CheckboxRow>
      ) : (
        <LinkRow chat={chat} query={query}>
          {label}
        </LinkRow>
      )}
    </li>
  )
})
