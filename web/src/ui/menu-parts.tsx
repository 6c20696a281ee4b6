import { Menu as Base } from "@base-ui/react/menu"
import type { LucideIcon } from "lucide-react"
import type { ReactElement, ReactNode } from "react"
import { classes } from "./classes.ts"

export interface MenuProps {
  trigger: ReactElement
  children: ReactNode
  align?: "start" | "end"
  side?: "top" | "bottom"
}

/** Initially open, because it is first rendered when the user opens it. */
export const Menu = ({ trigger, children, align = "end", side = "bottom" }: MenuProps) => (
  <Base.Root defaultOpen>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner sideOffset={4} align={align} side={side} className="z-50">
        <Base.Popup className="min-w-44 rounded border border-line bg-raised p-1 shadow-float outline-none">
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

export interface MenuItemProps {
  icon?: LucideIcon
  danger?: boolean
  disabled?: boolean
  onClick: () => void
  children: ReactNode
}

export const MenuItem = ({
  icon: Icon,
  danger,
  disabled = false,
  onClick,
  children,
}: MenuItemProps) => (
  <Base.Item
    onClick={onClick}
    disabled={disabled}
    className={classes(
      "flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover [&_svg]:size-4",
      danger ? "text-danger" : "text-text",
    )}
  >
    {Icon && <Icon aria-hidden />}
    {children}
  </Base.Item>
)

export const MenuSeparator = () => <Base.Separator className="my-1 h-px bg-line" />
