import { Link } from "@tanstack/react-router"
import { Ellipsis } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import type { ChatListItem } from "../../lib/chat-api.ts"
import { formatExactTime } from "../../lib/format.ts"
import { IconButton } from "../../ui/button.tsx"
import { MarkedText } from "../../ui/marked-text.tsx"
import { ChatMenu } from "./chat-menu.tsx"

interface ChatRowProps {
  chat: ChatListItem
  /** What was searched for; marked in the title and the excerpt. */
  query?: string
}

/** A chat in the sidebar's list. */
export const ChatRow = ({ chat, query = "" }: ChatRowProps) => {
  const title = chat.title || t("chat.untitled")
  return (
    <li className="group relative">
      <Link
        to="/c/$chatId"
        params={{ chatId: chat.id }}
        preload={false}
        title={`${title}\n${formatExactTime(chat.updated_at)}`}
        className="block rounded py-1.5 pr-9 pl-2.5 text-sm hover:bg-hover data-[status=active]:bg-hover data-[status=active]:font-medium"
      >
        <span className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate">
            <MarkedText text={title} query={query} />
          </span>
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
      </Link>
      <span className="absolute top-0.5 right-0.5 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-data-popup-open:opacity-100 [@media(hover:none)]:opacity-100">
        <ChatMenu
          chat={chat}
          trigger={
            <IconButton
              icon={Ellipsis}
              label={`${t("chat.menu")}: ${title}`}
              className="size-7.5"
            />
          }
        />
      </span>
    </li>
  )
}
