import { cloneElement, type ReactElement, useState } from "react"
import { ConfirmDialog, type ConfirmDialogProps } from "./confirm-dialog.tsx"

interface ConfirmTriggerProps extends Omit<ConfirmDialogProps, "open" | "onClose"> {
  /** A button. */
  trigger: ReactElement<{ onClick?: () => void }>
}

/** A button whose action is confirmed in a dialog. */
export const ConfirmTrigger = ({ trigger, ...dialog }: ConfirmTriggerProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {cloneElement(trigger, { onClick: () => setOpen(true) })}
      <ConfirmDialog {...dialog} open={isOpen} onClose={() => setOpen(false)} />
    </>
  )
}
