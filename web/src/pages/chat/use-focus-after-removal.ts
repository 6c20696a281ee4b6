import { type RefObject, useLayoutEffect, useRef } from "react"

/**
 * Gives the focus to another element when this one is removed while it contains the focus.
 * @param findNext called before the removal
 */
export const useFocusAfterRemoval = <T extends HTMLElement>(
  findNext: (removed: T) => Element | null | undefined,
): RefObject<T | null> => {
  const ref = useRef<T>(null)
  const find = useRef(findNext)
  find.current = findNext
  useLayoutEffect(() => {
    const element = ref.current
    return () => {
      if (!element?.contains(document.activeElement)) return
      const next = find.current(element)
      if (next instanceof HTMLElement) next.focus()
    }
  }, [])
  return ref
}
