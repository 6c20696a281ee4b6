import { cloneElement, lazy, type ReactElement, Suspense, useState } from "react"
import type { MenuProps } from "./menu-parts.tsx"

const load = () => import("./menu-parts.tsx")
const Opened = lazy(async () => ({ default: (await load()).Menu }))

export const MenuItem = lazy(async () => ({ default: (await load()).MenuItem }))
export const MenuLine = lazy(async () => ({ default: (await load()).MenuLine }))

interface TriggerProps {
  onClick?: () => void
  onPointerEnter?: () => void
  "aria-haspopup"?: "menu"
}

/** A menu button. The menu's code is loaded on first hover or click. */
export const Menu = (props: MenuProps) => {
  const [wanted, setWanted] = useState(false)
  // Every trigger is a button.
  const trigger = props.trigger as ReactElement<TriggerProps>
  if (wanted) {
    return (
      <Suspense fallback={trigger}>
        <Opened {...props} />
      </Suspense>
    )
  }
  return cloneElement(trigger, {
    "aria-haspopup": "menu",
    onClick: () => setWanted(true),
    onPointerEnter: () => void load(),
  })
}
