import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { fieldError } from "../../ui/form.tsx"
import { PersonField } from "./person-field.tsx"

export interface TransferTarget {
  name: string
  user_id: string
  /** Hands it over; the new owner is a user ID or an email address. */
  transfer: (to: string) => Promise<unknown>
  /** What moves besides the object itself. */
  note?: string
}

interface TransferDialogProps {
  target: TransferTarget
  open: boolean
  onClose: () => void
  onTransferred: () => Promise<void> | void
}

/** Hands an object over to another owner. */
export const TransferDialog = ({ target, open, onClose, onTransferred }: TransferDialogProps) => {
  const [person, setPerson] = useState("")
  const [error, setError] = useState<unknown>(null)
  const { name, user_id, transfer, note } = target
  const confirm = async (): Promise<void> => {
    try {
      await transfer(person.trim())
    } catch (reason) {
      setError(reason)
      throw reason
    }
    await onTransferred()
  }
  return (
    <ConfirmDialog
      open={open}
      onClose={() => {
        setPerson("")
        setError(null)
        onClose()
      }}
      title={t("transfer.one", { name })}
      action={t("transfer.action")}
      fields={["transfer_to"]}
      ready={person.trim() !== ""}
      onConfirm={confirm}
    >
      <div className="flex flex-col gap-3">
        <p>{t("transfer.lead")}</p>
        {note && <p>{note}</p>}
        <div className="text-text">
          <PersonField
            value={person}
            onValue={setPerson}
            except={user_id}
            error={fieldError(error, "transfer_to")}
          />
        </div>
      </div>
    </ConfirmDialog>
  )
}
