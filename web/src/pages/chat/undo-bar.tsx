import { X } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { Button, IconButton } from "../../ui/button.tsx"
import { errorText } from "../../ui/error-note.tsx"
import {
  type ChatDeletion,
  cancelChatDeletion,
  deleteChatsNow,
  useChatDeletions,
} from "./chat-deletions.ts"

const titleOf = ({ chats }: ChatDeletion): string => {
  const [first] = chats
  if (chats.length > 1) return t("objects.count.chat", { count: chats.length })
  return first?.title || t("chat.untitled")
}

const FailedDeletion = ({ deletion }: { deletion: ChatDeletion }) => (
  <div className="flex flex-wrap items-center gap-1 py-1.5 pr-1.5 pl-3">
    <p className="min-w-0 flex-1 basis-40 break-words">
      {t("chat.notDeleted", { title: titleOf(deletion), reason: errorText(deletion.error) })}
    </p>
    <Button onClick={() => void deleteChatsNow(deletion)}>{t("action.retry")}</Button>
    <IconButton
      icon={X}
      label={t("chat.dismiss")}
      onClick={() => cancelChatDeletion(deletion.key)}
    />
  </div>
)

/**
 * Shows the last deletion with an "Undo" button, or why it failed. It takes its own space, so that
 * it covers nothing.
 */
export const UndoBar = () => {
  const last = useChatDeletions().findLast(({ state }) => state !== "running")
  return (
    <div role="status" className="text-sm">
      {last && (
        <div className="rounded border border-line bg-raised">
          {last.state === "pending" ? (
            <p className="flex items-center gap-2 py-1.5 pr-1.5 pl-3">
              <span className="min-w-0 flex-1 truncate">
                {t("chat.deleted", { title: titleOf(last) })}
              </span>
              <Button onClick={() => cancelChatDeletion(last.key)}>{t("chat.undo")}</Button>
            </p>
          ) : (
            <FailedDeletion deletion={last} />
          )}
        </div>
      )}
    </div>
  )
}
