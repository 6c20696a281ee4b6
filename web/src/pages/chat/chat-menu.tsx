import { useNavigate, useRouterState } from "@tanstack/react-router"
import {
  Archive,
  ArchiveRestore,
  FileDown,
  FolderInput,
  Pencil,
  Pin,
  PinOff,
  Share2,
  Trash2,
} from "lucide-react"
import { lazy, type ReactElement, Suspense, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { type Chat, chatApi, exportUrl } from "../../lib/chat-api.ts"
import { Menu, MenuItem, MenuSeparator } from "../../ui/menu.tsx"
import { scheduleDeletion } from "./deletions.ts"

type ChatSubject = Pick<Chat, "id" | "title" | "folder" | "tags" | "shared" | "pinned" | "archived">

const loadDialogs = () => import("./chat-dialogs.tsx")
const dialogs = {
  rename: lazy(async () => ({ default: (await loadDialogs()).RenameDialog })),
  file: lazy(async () => ({ default: (await loadDialogs()).OrganizeDialog })),
  share: lazy(async () => ({ default: (await loadDialogs()).ShareDialog })),
}
const ErrorDialog = lazy(async () => ({ default: (await loadDialogs()).ErrorDialog }))

type Change = Parameters<typeof chatApi.update>[1]

/** Actions on a whole chat, used in the sidebar and on the page. */
export const ChatMenu = ({ chat, trigger }: { chat: ChatSubject; trigger: ReactElement }) => {
  const [dialog, setDialog] = useState<keyof typeof dialogs | null>(null)
  const [failure, setFailure] = useState<{ error: unknown; retry: () => void } | null>(null)
  const navigate = useNavigate()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const Dialog = dialog && dialogs[dialog]
  const leave = (): void => {
    if (path === `/c/${chat.id}`) void navigate({ to: "/" })
  }
  const change = async (changes: Change): Promise<void> => {
    setFailure(null)
    try {
      await chatApi.update(chat.id, changes)
      if (changes.archived) leave()
    } catch (error) {
      setFailure({ error, retry: () => void change(changes) })
    }
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
          onClick={() => void change({ pinned: !chat.pinned })}
        >
          {t(chat.pinned ? "chat.unpin" : "chat.pin")}
        </MenuItem>
        <MenuItem icon={FolderInput} onClick={() => setDialog("file")}>
          {t("chat.file")}
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
        <MenuItem
          icon={chat.archived ? ArchiveRestore : Archive}
          onClick={() => void change({ archived: !chat.archived })}
        >
          {t(chat.archived ? "chat.unarchive" : "chat.archive")}
        </MenuItem>
        <MenuItem
          icon={Trash2}
          danger
          onClick={() => {
            scheduleDeletion([chat])
            leave()
          }}
        >
          {t("chat.delete")}
        </MenuItem>
      </Menu>
      <Suspense>
        {Dialog && <Dialog chat={chat} onClose={() => setDialog(null)} />}
        {failure && (
          <ErrorDialog title={t("chat.notChanged")} {...failure} onClose={() => setFailure(null)} />
        )}
      </Suspense>
    </>
  )
}
