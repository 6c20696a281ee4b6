import { useQuery } from "@tanstack/react-query"
import { t } from "../../i18n/translate.ts"
import { fileApi, fileUsedQuery } from "../../lib/library-api.ts"
import { Confirm } from "../../ui/dialog.tsx"

interface DeleteProps {
  id: string
  name: string
  onClose: () => void
  onGone: () => void
}

/** Asks for confirmation before deleting a file, and lists the collections that contain it. */
export const DeleteFile = ({ id, name, onClose, onGone }: DeleteProps) => {
  const { data: used = [] } = useQuery(fileUsedQuery(id))
  return (
    <Confirm
      open
      onClose={onClose}
      title={t("files.deleteOne", { name })}
      action={t("files.delete")}
      danger
      onConfirm={async () => {
        await fileApi.remove(id)
        onGone()
      }}
    >
      {t("files.deleteHelp")}
      {used.length > 0 &&
        ` ${t("files.usedIn", { names: used.map((one) => one.name).join(", ") })}`}
    </Confirm>
  )
}
