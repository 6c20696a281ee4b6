import { cloneElement, lazy, type ReactElement, useState } from "react"
import { LazyPopup } from "./lazy-popup.tsx"
import type { MenuProps } from "./menu-parts.tsx"

const load = () => import("./menu-parts.tsx")
const OpenMenu = lazy(async () => ({ default: (await load()).Menu }))

export const MenuItem = lazy(async () => ({ default: (await load()).MenuItem }))
export const MenuSeparator = lazy(async () => ({ default: (await load()).MenuSeparator }))

interface TriggerProps {
  onClick?: () => void
  onPointerEnter?: () => void
  "aria-haspopup"?: "menu"
}

/** A menu button. The menu's code is loaded on first hover or click. */
export const Menu = (props: MenuProps) => {
  const [isOpened, setOpened] = useState(false)
  // Every trigger is a button.
  const trigger = props.trigger as ReactElement<TriggerProps>
  if (isOpened) {
    return (
      <LazyPopup fallback={trigger}>
        <OpenMenu {...props} />
      </LazyPopup>
    )
  }
  return cloneElement(trigger, {
    "aria-haspopup": "menu",
    onClick: () => setOpened(true),
    onPointerEnter: () => void load(),
  })
}
