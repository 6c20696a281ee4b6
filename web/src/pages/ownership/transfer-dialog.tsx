import type { QueryKey } from "@tanstack/react-query"
import type { LinkProps } from "@tanstack/react-router"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { useLeavePage } from "../../lib/use-leave-page.ts"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { fieldError } from "../../ui/form.tsx"
import { NewOwnerField } from "./new-owner-field.tsx"

export interface TransferTarget {
  name: string
  user_id: string
  /** Hands it over; the new owner is a user ID or an email address. */
  transfer: (to: string) => Promise<unknown>
  /** What moves besides the object itself. */
  note?: string
}

export interface TransferProps {
  target: TransferTarget
  /** The list to return to, as former owners may not see the object any more. */
  backTo: LinkProps["to"]
  /** Queries that contain the object. */
  invalidates: readonly QueryKey[]
}

interface TransferDialogProps extends TransferProps {
  open: boolean
  onClose: () => void
}

/** Hands an object over to another owner. */
export const TransferDialog = (props: TransferDialogProps) => {
  const { target, backTo, invalidates, open, onClose } = props
  const { role } = useCurrentUser()
  const leave = useLeavePage()
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
    await leave({ to: role === "admin" ? undefined : backTo, invalidates })
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
      action={t("action.handOver")}
      fields={["transfer_to"]}
      ready={person.trim() !== ""}
      onConfirm={confirm}
    >
      <div className="flex flex-col gap-3">
        <p>{t("transfer.lead")}</p>
        {note && <p>{note}</p>}
        <div className="text-text">
          <NewOwnerField
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
