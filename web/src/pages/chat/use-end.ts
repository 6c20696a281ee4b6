import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react"

const nearPx = 40

const kept = (name: string): number | null => {
  const stored = sessionStorage.getItem(`portico.scroll.${name}`)
  return stored === null ? null : Number(stored)
}

const keep = (name: string, top: number | null): void => {
  if (top === null) sessionStorage.removeItem(`portico.scroll.${name}`)
  else sessionStorage.setItem(`portico.scroll.${name}`, String(Math.round(top)))
}

/**
 * Keeps the view at the end of growing content until the reader scrolls up.
 * @param name key for the scroll position, saved when the page closes
 */
export const useEnd = (
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  name: string,
) => {
  const following = useRef(true)
  const lastTop = useRef(0)
  const [away, setAway] = useState(false)

  const follow = useCallback((next: boolean): void => {
    following.current = next
    setAway(!next)
  }, [])

  const toEnd = useCallback((): void => {
    follow(true)
    const box = scroller.current
    if (box) box.scrollTop = box.scrollHeight
  }, [follow, scroller])

  useLayoutEffect(() => {
    const box = scroller.current
    if (!box) return
    const top = kept(name)
    follow(top === null)
    box.scrollTop = top ?? box.scrollHeight
    lastTop.current = box.scrollTop
    const leave = (): void => keep(name, following.current ? null : box.scrollTop)
    window.addEventListener("pagehide", leave)
    return () => {
      window.removeEventListener("pagehide", leave)
      leave()
    }
  }, [name, follow, scroller])

  useEffect(() => {
    const box = scroller.current
    const inner = content.current
    if (!box || !inner) return
    const distance = (): number => box.scrollHeight - box.scrollTop - box.clientHeight
    const observer = new ResizeObserver(() => {
      if (following.current) box.scrollTop = box.scrollHeight
      else setAway(distance() > nearPx)
    })
    observer.observe(inner)
    observer.observe(box)
    const onScroll = (): void => {
      const up = box.scrollTop < lastTop.current - 1
      lastTop.current = box.scrollTop
      if (distance() <= nearPx && !up) follow(true)
      else if (up && distance() > 2) follow(false)
    }
    // Runs before the browser scrolls, so that content arriving now does not scroll back down.
    const onWheel = ({ deltaY }: WheelEvent): void => {
      if (deltaY < 0 && box.scrollHeight > box.clientHeight) follow(false)
    }
    box.addEventListener("scroll", onScroll, { passive: true })
    box.addEventListener("wheel", onWheel, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener("scroll", onScroll)
      box.removeEventListener("wheel", onWheel)
    }
  }, [follow, scroller, content])

  return { away, toEnd }
}
