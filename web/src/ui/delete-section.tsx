import type { QueryKey } from "@tanstack/react-query"
import type { LinkProps } from "@tanstack/react-router"
import { Trash2 } from "lucide-react"
import { useLeavePage } from "../lib/use-leave-page.ts"
import { Button } from "./button.tsx"
import type { ConfirmDialogProps } from "./confirm-dialog.tsx"
import { ConfirmTrigger } from "./confirm-trigger.tsx"
import { Section } from "./page.tsx"

interface DeleteProps extends Pick<ConfirmDialogProps, "action" | "title" | "typed"> {
  /** What is deleted and what remains. */
  lead: string
  /** @param confirm as `onConfirm` of `ConfirmDialog` */
  onRemove: (confirm?: "delete") => Promise<unknown>
  /** The list to return to after the deletion. */
  backTo?: LinkProps["to"]
  /** Queries that contain the object. */
  invalidates?: readonly QueryKey[]
}

/** The last section of an object's page: what deletion means, and the button. */
export const DeleteSection = (props: DeleteProps) => {
  const { lead, onRemove, backTo, invalidates = [], ...dialog } = props
  const leave = useLeavePage()
  const remove = async (confirm?: "delete"): Promise<void> => {
    await onRemove(confirm)
    await leave({ to: backTo, invalidates })
  }
  return (
    <Section title={props.action} lead={lead}>
      <div>
        <ConfirmTrigger
          {...dialog}
          trigger={
            <Button variant="danger" icon={Trash2}>
              {props.action}
            </Button>
          }
          danger
          onConfirm={remove}
        >
          {lead}
        </ConfirmTrigger>
      </div>
    </Section>
  )
}
