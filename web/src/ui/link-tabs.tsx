import { Link, type LinkProps, useRouterState } from "@tanstack/react-router"
import { useEffect, useRef } from "react"

export interface LinkTab {
  to: NonNullable<LinkProps["to"]>
  label: string
  /** Active only on its exact path, not below it. */
  exact?: true
}

/** Marks the edges beyond which there are more tabs. */
const markEdges = (nav: HTMLElement): void => {
  const after = nav.scrollWidth - nav.clientWidth - nav.scrollLeft
  nav.toggleAttribute("data-more-before", nav.scrollLeft > 1)
  nav.toggleAttribute("data-more-after", after > 1)
}

/** Tabs that link to the pages of an area. */
export const LinkTabs = ({ label, tabs }: { label: string; tabs: readonly LinkTab[] }) => {
  const nav = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the active tab depends on the path
  useEffect(() => {
    const { current } = nav
    if (!current) return
    const showActiveTab = (): void => {
      const active = current.querySelector("[data-status=active]")
      active?.scrollIntoView({ block: "nearest", inline: "nearest" })
      markEdges(current)
    }
    // Also called at first, and when a phone is turned.
    const observer = new ResizeObserver(showActiveTab)
    observer.observe(current)
    return () => observer.disconnect()
  }, [path])
  return (
    <nav
      ref={nav}
      aria-label={label}
      onScroll={({ currentTarget }) => markEdges(currentTarget)}
      className="-mx-4 flex scroll-px-10 gap-1 overflow-x-auto border-b border-line px-4 data-more-after:mask-r-from-[calc(100%-2.5rem)] data-more-before:mask-l-from-[calc(100%-2.5rem)] wide:mx-0 wide:px-0"
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
