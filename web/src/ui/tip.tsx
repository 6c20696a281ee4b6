import { Tooltip } from "@base-ui/react/tooltip"
import type { ReactElement } from "react"
import { Keys } from "./keys.tsx"

interface TipProps {
  label: string
  /** A combination such as `mod+k`. */
  keys?: string
  children: ReactElement
}

/** A word or two about what is pointed at or focused. */
export const Tip = ({ label, keys, children }: TipProps) => (
  <Tooltip.Root>
    <Tooltip.Trigger render={children} />
    <Tooltip.Portal>
      <Tooltip.Positioner sideOffset={6} className="z-50">
        <Tooltip.Popup className="flex items-center gap-2 rounded-md border border-line bg-raised px-2 py-1 text-xs text-text shadow-float">
          {label}
          {keys && <Keys of={keys} />}
        </Tooltip.Popup>
      </Tooltip.Positioner>
    </Tooltip.Portal>
  </Tooltip.Root>
)
