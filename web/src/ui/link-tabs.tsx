import { Link, type LinkProps, useRouterState } from "@tanstack/react-router"
import { useEffect, useRef } from "react"

export interface LinkTab {
  to: NonNullable<LinkProps["to"]>
  label: string
  /** Active only on its exact path, not below it. */
  exact?: true
}

/** Tabs that link to the pages of an area. */
export const LinkTabs = ({ label, tabs }: { label: string; tabs: readonly LinkTab[] }) => {
  const nav = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the active tab depends on the path
  useEffect(() => {
    const showActiveTab = (): void => {
      const active = nav.current?.querySelector("[data-status=active]")
      active?.scrollIntoView({ block: "nearest", inline: "nearest" })
    }
    // Also called at first, and when a phone is turned.
    const observer = new ResizeObserver(showActiveTab)
    if (nav.current) observer.observe(nav.current)
    return () => observer.disconnect()
  }, [path])
  return (
    <nav
      ref={nav}
      aria-label={label}
      className="-mx-4 flex gap-1 overflow-x-auto border-b border-line px-4 wide:mx-0 wide:px-0"
    >
      {tabs.map(({ to, label: name, exact = false }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact, includeSearch: false }}
          className="-mb-px rounded-t-md border-b-2 border-transparent px-2.5 py-2 text-sm whitespace-nowrap text-muted -outline-offset-2 hover:text-text data-[status=active]:border-accent data-[status=active]:font-medium data-[status=active]:text-text"
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
