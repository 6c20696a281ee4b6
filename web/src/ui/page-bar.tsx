import { createContext, type ReactNode, useContext, useSyncExternalStore } from "react"
import { createPortal } from "react-dom"

/** The place in the frame's bar, which narrow pages have, for a page's own controls. */
export const PageBarSlotContext = createContext<HTMLElement | null>(null)

const narrow = window.matchMedia("(width < 900px)")

const subscribe = (listener: () => void): (() => void) => {
  narrow.addEventListener("change", listener)
  return () => narrow.removeEventListener("change", listener)
}

/** A page's controls: a bar above the page or, if it is narrow, part of the frame's only bar. */
export const PageBar = ({ children }: { children: ReactNode }) => {
  const slot = useContext(PageBarSlotContext)
  const isNarrow = useSyncExternalStore(subscribe, () => narrow.matches)
  if (isNarrow && slot) return createPortal(children, slot)
  return (
    <header className="flex h-12 shrink-0 items-center justify-between gap-2 border-b border-line px-2">
      {children}
    </header>
  )
}
