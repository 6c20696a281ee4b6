import { useQuery } from "@tanstack/react-query"
import { t } from "../../i18n/translate.ts"
import { fileApi, fileCollectionsQuery } from "../../lib/knowledge-api.ts"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"

interface DeleteProps {
  id: string
  name: string
  onClose: () => void
  onDeleted: () => void
}

/** Asks for confirmation before deleting a file, and lists the collections that contain it. */
export const DeleteFile = ({ id, name, onClose, onDeleted }: DeleteProps) => {
  const { data = [] } = useQuery(fileCollectionsQuery(id))
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t("action.deleteOne", { name })}
      action={t("files.delete")}
      danger
      onConfirm={async () => {
        await fileApi.remove(id)
        onDeleted()
      }}
    >
      {t("files.deleteHelp")}
      {data.length > 0 &&
        ` ${t("files.usedIn", { names: data.map((one) => one.name).join(", ") })}`}
    </ConfirmDialog>
  )
}
