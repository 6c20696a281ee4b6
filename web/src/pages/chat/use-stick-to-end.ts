import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react"

const nearPx = 40

const readScrollTop = (name: string): number | null => {
  const stored = sessionStorage.getItem(`portico.scroll.${name}`)
  return stored === null ? null : Number(stored)
}

const saveScrollTop = (name: string, top: number | null): void => {
  if (top === null) sessionStorage.removeItem(`portico.scroll.${name}`)
  else sessionStorage.setItem(`portico.scroll.${name}`, String(Math.round(top)))
}

const distanceToEnd = (box: HTMLElement): number =>
  box.scrollHeight - box.scrollTop - box.clientHeight

/**
 * Content may shrink for a moment, as when a message being sent is replaced by the stored one.
 * Without `lastTop`, the resulting scroll event would look like the reader scrolling up.
 */
const moveToEnd = (box: HTMLElement, lastTop: RefObject<number>): void => {
  box.scrollTop = box.scrollHeight
  lastTop.current = box.scrollTop
}

/**
 * Keeps the view at the end of growing content until the reader scrolls up.
 * @param name key for the scroll position, saved when the page closes
 */
export const useStickToEnd = (
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  name: string,
) => {
  const isFollowing = useRef(true)
  const lastTop = useRef(0)
  const [isAway, setAway] = useState(false)

  const setFollowing = useCallback((next: boolean): void => {
    isFollowing.current = next
    setAway(!next)
  }, [])

  const scrollToEnd = useCallback((): void => {
    setFollowing(true)
    if (scroller.current) moveToEnd(scroller.current, lastTop)
  }, [setFollowing, scroller])

  const scrollToRange = useCallback(
    (range: Range): void => {
      const box = scroller.current
      if (!box) return
      isFollowing.current = false
      const offset = range.getBoundingClientRect().top - box.getBoundingClientRect().top
      box.scrollTop += offset - box.clientHeight / 3
      lastTop.current = box.scrollTop
      setAway(distanceToEnd(box) > nearPx)
    },
    [scroller],
  )

  useLayoutEffect(() => {
    const box = scroller.current
    if (!box) return
    const top = readScrollTop(name)
    setFollowing(top === null)
    box.scrollTop = top ?? box.scrollHeight
    lastTop.current = box.scrollTop
    const savePosition = (): void => saveScrollTop(name, isFollowing.current ? null : box.scrollTop)
    window.addEventListener("pagehide", savePosition)
    return () => {
      window.removeEventListener("pagehide", savePosition)
      savePosition()
    }
  }, [name, setFollowing, scroller])

  useEffect(() => {
    const box = scroller.current
    const inner = content.current
    if (!box || !inner) return
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) moveToEnd(box, lastTop)
      else setAway(distanceToEnd(box) > nearPx)
    })
    observer.observe(inner)
    observer.observe(box)
    const onScroll = (): void => {
      const up = box.scrollTop < lastTop.current - 1
      lastTop.current = box.scrollTop
      if (distanceToEnd(box) <= nearPx && !up) setFollowing(true)
      else if (up && distanceToEnd(box) > 2) setFollowing(false)
    }
    // Runs before the browser scrolls, so that content arriving now does not scroll back down.
    const onWheel = ({ deltaY }: WheelEvent): void => {
      if (deltaY < 0 && box.scrollHeight > box.clientHeight) setFollowing(false)
    }
    box.addEventListener("scroll", onScroll, { passive: true })
    box.addEventListener("wheel", onWheel, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener("scroll", onScroll)
      box.removeEventListener("wheel", onWheel)
    }
  }, [setFollowing, scroller, content])

  return { isAway, scrollToEnd, scrollToRange }
}
