import type { QueryKey } from "@tanstack/react-query"
import type { LinkProps } from "@tanstack/react-router"
import { Trash2 } from "lucide-react"
import { useState } from "react"
import { useLeavePage } from "../lib/use-leave-page.ts"
import { Button } from "./button.tsx"
import { ConfirmDialog } from "./confirm-dialog.tsx"
import { Section } from "./page.tsx"

interface DeleteProps {
  /** A verb with its object: "Delete group". */
  action: string
  /** The dialog's title, with the object's name. */
  title: string
  /** What is deleted and what remains. */
  lead: string
  /** Text to type before confirming, for irreversible deletions. */
  typed?: string
  /** @param confirm as `onConfirm` of `ConfirmDialog` */
  onRemove: (confirm?: "delete") => Promise<unknown>
  /** The list to return to after the deletion. */
  backTo?: LinkProps["to"]
  /** Queries that contain the object. */
  invalidates?: readonly QueryKey[]
}

/** A button that deletes after confirmation. */
const DeleteButton = (props: DeleteProps) => {
  const { action, title, lead, onRemove, backTo, invalidates = [], ...typed } = props
  const [isConfirming, setConfirming] = useState(false)
  const leave = useLeavePage()
  const remove = async (confirm?: "delete"): Promise<void> => {
    await onRemove(confirm)
    await leave({ to: backTo, invalidates })
  }
  return (
    <>
      <Button variant="danger" icon={Trash2} onClick={() => setConfirming(true)}>
        {action}
      </Button>
      <ConfirmDialog
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={title}
        action={action}
        danger
        onConfirm={remove}
        {...typed}
      >
        {lead}
      </ConfirmDialog>
    </>
  )
}

/** The last section of an object's page: what deletion means, and the button. */
export const DeleteSection = (props: DeleteProps) => (
  <Section title={props.action} lead={props.lead}>
    <div>
      <DeleteButton {...props} />
    </div>
  </Section>
)
