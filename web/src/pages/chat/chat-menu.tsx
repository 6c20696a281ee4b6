import {
  Archive,
  ArchiveRestore,
  FileDown,
  FolderInput,
  Pencil,
  Pin,
  PinOff,
  Share2,
  Tags,
  Trash2,
} from "lucide-react"
import { type ReactElement, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { type Chat, exportUrl } from "../../lib/chat-api.ts"
import { lazyComponent } from "../../lib/lazy-component.tsx"
import { LazyPopup } from "../../ui/lazy-popup.tsx"
import { Menu, MenuItem, MenuSeparator } from "../../ui/menu.tsx"
import { useChangeChats } from "./change-chats.tsx"
import { scheduleChatDeletion } from "./chat-deletions.ts"
import { useLeaveChats } from "./use-leave-chats.ts"

type ChatSubject = Pick<Chat, "id" | "title" | "folder" | "tags" | "shared" | "pinned" | "archived">

const loadDialogs = () => import("./chat-dialogs.tsx")
const dialogs = {
  rename: lazyComponent(async () => (await loadDialogs()).RenameDialog),
  tags: lazyComponent(async () => (await loadDialogs()).TagsDialog),
  share: lazyComponent(async () => (await loadDialogs()).ShareDialog),
  move: lazyComponent(async () => (await import("./move-chats-dialog.tsx")).MoveChatDialog),
}

/** Actions on a whole chat, used in the sidebar and on the page. */
export const ChatMenu = ({ chat, trigger }: { chat: ChatSubject; trigger: ReactElement }) => {
  const [dialog, setDialog] = useState<keyof typeof dialogs | null>(null)
  const { change, dialog: failureDialog } = useChangeChats()
  const leaveChats = useLeaveChats()
  const Dialog = dialog && dialogs[dialog]
  const closeDialog = (): void => setDialog(null)
  const archive = async (): Promise<void> => {
    const isChanged = await change([chat.id], { archived: !chat.archived })
    if (isChanged && !chat.archived) leaveChats([chat.id])
  }
  const download = (format: "json" | "markdown"): void =>
    window.location.assign(exportUrl(chat.id, format))

  return (
    <>
      <Menu trigger={trigger}>
        <MenuItem icon={Pencil} onClick={() => setDialog("rename")}>
          {t("chat.rename")}
        </MenuItem>
        <MenuItem
          icon={chat.pinned ? PinOff : Pin}
          onClick={() => void change([chat.id], { pinned: !chat.pinned })}
        >
          {t(chat.pinned ? "chat.unpin" : "chat.pin")}
        </MenuItem>
        <MenuItem icon={FolderInput} onClick={() => setDialog("move")}>
          {t("projects.move")}
        </MenuItem>
        <MenuItem icon={Tags} onClick={() => setDialog("tags")}>
          {t("chat.editTags")}
        </MenuItem>
        <MenuItem icon={Share2} onClick={() => setDialog("share")}>
          {t("chat.share")}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={FileDown} onClick={() => download("markdown")}>
          {t("chat.exportMarkdown")}
        </MenuItem>
        <MenuItem icon={FileDown} onClick={() => download("json")}>
          {t("chat.exportJson")}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={chat.archived ? ArchiveRestore : Archive} onClick={() => void archive()}>
          {t(chat.archived ? "chat.unarchive" : "chat.archive")}
        </MenuItem>
        <MenuItem
          icon={Trash2}
          danger
          onClick={() => {
            scheduleChatDeletion([chat])
            leaveChats([chat.id])
          }}
        >
          {t("chat.delete")}
        </MenuItem>
      </Menu>
      <LazyPopup onCancel={closeDialog}>
        {Dialog && <Dialog chat={chat} onClose={closeDialog} />}
      </LazyPopup>
      {failureDialog}
    </>
  )
}
