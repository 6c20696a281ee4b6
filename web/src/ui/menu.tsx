import type { ReactElement } from "react"
import { lazyComponent } from "../lib/lazy-component.tsx"
import { LazyTrigger } from "./lazy-trigger.tsx"
import type { MenuProps } from "./menu-parts.tsx"

const load = () => import("./menu-parts.tsx")
const OpenMenu = lazyComponent(async () => (await load()).Menu)

export const MenuItem = lazyComponent(async () => (await load()).MenuItem)
export const MenuSeparator = lazyComponent(async () => (await load()).MenuSeparator)

/** A menu button. */
export const Menu = (props: MenuProps) => (
  <LazyTrigger trigger={props.trigger as ReactElement<object>} kind="menu" load={load}>
    <OpenMenu {...props} />
  </LazyTrigger>
)
