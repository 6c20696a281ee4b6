import { useNavigate } from "@tanstack/react-router"
import { Ellipsis } from "lucide-react"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { type CollectionQuestion, questionApi } from "../../lib/question-api.ts"
import { IconButton } from "../../ui/button.tsx"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { Menu, MenuItem } from "../../ui/menu.tsx"
import { QuestionDialog } from "./question-dialog.tsx"

interface RowProps {
  collectionId: string
  question: CollectionQuestion
}

interface ActionsProps extends RowProps {
  writable: boolean
}

const EditQuestion = ({ collectionId, question, onClose }: RowProps & { onClose: () => void }) => {
  const { id, file_id, filename, previous, quotation, note } = question
  return (
    <QuestionDialog
      collectionId={collectionId}
      title={t("questions.edit")}
      action={t("action.save")}
      initial={{
        ...{ question: question.question, previous, quotation, note },
        file: file_id === null ? null : { id: file_id, filename },
      }}
      save={({ file_id: chosen, ...texts }) =>
        // A file that is gone cannot be chosen again, but the texts can be changed.
        questionApi.update(collectionId, id, {
          ...texts,
          ...(chosen !== file_id && { file_id: chosen }),
        })
      }
      onClose={onClose}
    />
  )
}

/** Opens the passage, edits or deletes the question. */
export const QuestionActions = ({ collectionId, question, writable }: ActionsProps) => {
  const navigate = useNavigate()
  const { file_id: fileId, result } = question
  const isMissing = result?.reason === "file_gone"
  const openPassage = (): void => {
    if (fileId === null) return
    const at = result?.start ?? undefined
    void navigate({ to: "/knowledge/files/$fileId", params: { fileId }, search: { at } })
  }
  const [open, setOpen] = useState<"edit" | "delete" | null>(null)
  const close = (): void => setOpen(null)
  const remove = async (): Promise<void> => {
    await questionApi.remove(collectionId, question.id)
    await invalidateQueries([["collections"]])
  }
  return (
    <>
      <Menu
        trigger={
          <IconButton icon={Ellipsis} label={t("questions.moreOne", { name: question.question })} />
        }
      >
        <MenuItem disabled={fileId === null || isMissing} onClick={openPassage}>
          {t("questions.openPassage")}
        </MenuItem>
        {writable && <MenuItem onClick={() => setOpen("edit")}>{t("questions.edit")}</MenuItem>}
        {writable && (
          <MenuItem danger onClick={() => setOpen("delete")}>
            {t("questions.delete")}
          </MenuItem>
        )}
      </Menu>
      {open === "edit" && <EditQuestion {...{ collectionId, question }} onClose={close} />}
      <ConfirmDialog
        open={open === "delete"}
        onClose={close}
        title={t("questions.delete")}
        action={t("questions.delete")}
        danger
        onConfirm={remove}
      >
        {question.question} {t("questions.deleteHelp")}
      </ConfirmDialog>
    </>
  )
}
