import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react"
import type { PageLayout } from "./page-layout.ts"

/** Pages drawn on either side of the visible ones. */
const pagesAround = 1

interface ScrolledPages {
  /** The page being read. */
  current: number
  /** Pages to draw. */
  drawn: readonly number[]
  onScroll: () => void
  goToPage: (page: number) => void
}

interface ScrolledPagesOptions {
  count: number
  firstPage: number
  /** Whether the layout is final; before, all pages may fit into the view. */
  isMeasured: boolean
}

/**
 * Follows the scrolling of pages. The place being read stays in view when sizes change, as after
 * zooming.
 */
export const useScrolledPages = (
  scroller: RefObject<HTMLDivElement | null>,
  layout: PageLayout,
  { count, firstPage, isMeasured }: ScrolledPagesOptions,
): ScrolledPages => {
  const anchor = useRef({ page: firstPage, fraction: 0 })
  const [view, setView] = useState({ current: firstPage, first: firstPage, last: firstPage })

  const onScroll = useCallback(() => {
    const element = scroller.current
    if (!element) return
    const { scrollTop, clientHeight } = element
    anchor.current = layout.anchorAt(scrollTop)
    const next = {
      current: layout.mainPageIn(scrollTop, scrollTop + clientHeight),
      first: anchor.current.page,
      last: layout.anchorAt(scrollTop + clientHeight).page,
    }
    setView((last) => (JSON.stringify(last) === JSON.stringify(next) ? last : next))
  }, [scroller, layout])

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element || !isMeasured) return
    const top = layout.yOf(anchor.current)
    // Setting it would end a smooth scroll.
    if (Math.abs(element.scrollTop - top) >= 1) element.scrollTop = top
    onScroll()
  }, [scroller, layout, isMeasured, onScroll])

  const goToPage = (page: number): void => {
    const target = Math.min(Math.max(page, 1), count)
    scroller.current?.scrollTo({ top: layout.topOf(target) - 1 })
  }
  const first = Math.max(1, view.first - pagesAround)
  const last = Math.min(count, view.last + pagesAround)
  const drawn = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  return { current: view.current, drawn, onScroll, goToPage }
}
