import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import type { Chat } from "../../lib/chat-api.ts"
import { projectsQuery } from "../../lib/project-api.ts"
import { ComboboxField } from "../../ui/combobox.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { changeChats } from "./change-chats.tsx"
import { FormDialog } from "./chat-dialogs.tsx"

interface MoveDialogProps {
  ids: readonly string[]
  /** The project that the chats are in; null for none. */
  folder: string | null
  onMoved?: () => void
  onClose: () => void
}

/** Moves chats to a project, or out of all projects. */
export const MoveChatsDialog = ({ ids, folder, onMoved, onClose }: MoveDialogProps) => {
  const { data: projects = [], error } = useQuery(projectsQuery)
  const [target, setTarget] = useState(folder ?? "")
  const move = async (): Promise<void> => {
    const failure = await changeChats(ids, { folder: target === "" ? null : target })
    if (failure) throw failure.error
    onMoved?.()
  }
  return (
    <FormDialog
      title={t("projects.move")}
      action={t("projects.moveAction", { count: ids.length })}
      onClose={onClose}
      onSubmit={move}
    >
      {error && <ErrorNote error={error} />}
      <ComboboxField
        label={t("projects.project")}
        choices={[
          { value: "", label: t("projects.noProject") },
          ...projects.map(({ name }) => ({ value: name, label: name })),
        ]}
        value={target}
        onValue={(value) => setTarget(value ?? "")}
      />
      <Link
        to="/projects/new"
        onClick={onClose}
        className="self-start rounded-sm text-sm text-accent hover:underline"
      >
        {t("projects.create")}
      </Link>
    </FormDialog>
  )
}

type MoveChatDialogProps = Pick<MoveDialogProps, "onClose"> & { chat: Pick<Chat, "id" | "folder"> }

export const MoveChatDialog = ({ chat, onClose }: MoveChatDialogProps) => (
  <MoveChatsDialog ids={[chat.id]} folder={chat.folder} onClose={onClose} />
)
