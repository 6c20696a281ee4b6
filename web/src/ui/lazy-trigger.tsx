import { cloneElement, type ReactElement, type ReactNode, useState } from "react"
import { LazyPopup } from "./lazy-popup.tsx"

interface TriggerProps {
  onClick?: () => void
  onPointerEnter?: () => void
  autoFocus?: boolean
  "aria-haspopup"?: "menu" | "listbox"
}

interface LazyTriggerProps {
  /** A button. */
  trigger: ReactElement<TriggerProps>
  kind: "menu" | "listbox"
  load: () => Promise<unknown>
  /** The popup with the trigger, initially open. */
  children: ReactNode
}

/** A button whose popup is loaded on first hover or click. */
export const LazyTrigger = ({ trigger, kind, load, children }: LazyTriggerProps) => {
  const [state, setState] = useState<"closed" | "opened" | "cancelled">("closed")
  if (state === "opened") {
    return (
      <LazyPopup fallback={trigger} onCancel={() => setState("cancelled")}>
        {children}
      </LazyPopup>
    )
  }
  return cloneElement(trigger, {
    "aria-haspopup": kind,
    // The button that had the focus is gone.
    autoFocus: state === "cancelled",
    onClick: () => setState("opened"),
    onPointerEnter: () => void load().catch(() => {}),
  })
}
