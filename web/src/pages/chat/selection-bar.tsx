import {
  Archive,
  FileDown,
  FolderInput,
  ListChecks,
  type LucideIcon,
  Trash2,
  X,
} from "lucide-react"
import { useEffect, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { exportSomeUrl } from "../../lib/chat-api.ts"
import { lazyComponent } from "../../lib/lazy-component.tsx"
import { IconButton } from "../../ui/button.tsx"
import { LazyPopup } from "../../ui/lazy-popup.tsx"
import { useChangeChats } from "./change-chats.tsx"
import { scheduleChatDeletion } from "./chat-deletions.ts"
import { type ChatSelection, endSelectingChats, selectAllChats } from "./chat-selection.ts"
import { useLeaveChats } from "./use-leave-chats.ts"

const MoveChatsDialog = lazyComponent(
  async () => (await import("./move-chats-dialog.tsx")).MoveChatsDialog,
)

/** An export's URL contains the IDs, so their number is limited. */
const maxExported = 200

interface ActionProps {
  icon: LucideIcon
  label: string
  disabled: boolean
  onClick: () => void
}

const Action = ({ icon, label, disabled, onClick }: ActionProps) => (
  <IconButton
    icon={icon}
    label={label}
    aria-disabled={disabled}
    onClick={() => disabled || onClick()}
  />
)

/** What can be done with the selected chats. */
export const SelectionBar = ({ selection }: { selection: NonNullable<ChatSelection> }) => {
  const [isMoving, setMoving] = useState(false)
  const { change, dialog } = useChangeChats()
  const leave = useLeaveChats()
  const chats = [...selection.values()]
  const ids = chats.map(({ id }) => id)
  const none = ids.length === 0
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && !event.defaultPrevented) endSelectingChats()
    }
    const sidebar = document.getElementById("sidebar")
    sidebar?.addEventListener("keydown", onKey)
    return () => sidebar?.removeEventListener("keydown", onKey)
  }, [])
  const archive = async (): Promise<void> => {
    if (!(await change(ids, { archived: true }))) return
    leave(ids)
    endSelectingChats()
  }
  const remove = (): void => {
    scheduleChatDeletion(chats)
    leave(ids)
    endSelectingChats()
  }
  return (
    <div role="toolbar" aria-label={t("select.selected", { count: ids.length })}>
      <div className="flex items-center justify-between pl-2.5">
        <p role="status" className="text-xs font-medium">
          {t("select.selected", { count: ids.length })}
        </p>
        <IconButton icon={X} label={t("select.end")} onClick={endSelectingChats} />
      </div>
      <div className="flex justify-between border-y border-line px-1 py-0.5">
        <IconButton icon={ListChecks} label={t("select.all")} onClick={selectAllChats} />
        <Action
          icon={FolderInput}
          label={t("projects.move")}
          disabled={none}
          onClick={() => setMoving(true)}
        />
        <Action
          icon={Archive}
          label={t("select.archive")}
          disabled={none}
          onClick={() => void archive()}
        />
        <Action
          icon={FileDown}
          label={t("select.export")}
          disabled={none || ids.length > maxExported}
          onClick={() => window.location.assign(exportSomeUrl(ids))}
        />
        <Action icon={Trash2} label={t("select.delete")} disabled={none} onClick={remove} />
      </div>
      {ids.length > maxExported && (
        <p className="px-2.5 pt-1 text-xs text-muted">
          {t("select.exportLimit", { count: maxExported })}
        </p>
      )}
      {isMoving && (
        <LazyPopup onCancel={() => setMoving(false)}>
          <MoveChatsDialog
            ids={ids}
            folder={null}
            onMoved={endSelectingChats}
            onClose={() => setMoving(false)}
          />
        </LazyPopup>
      )}
      {dialog}
    </div>
  )
}
