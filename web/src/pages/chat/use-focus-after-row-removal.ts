import { type RefObject, useLayoutEffect, useRef } from "react"

const linkIn = (row: Element | null): HTMLElement | null => row?.querySelector("a") ?? null

/**
 * Moves the focus on when a chat's row leaves a list while the row, its menu or a dialog of that
 * menu has the focus: to the chat's row in another list, a neighbor, or the top of the sidebar.
 */
export const useFocusAfterRowRemoval = (chatId: string): RefObject<HTMLLIElement | null> => {
  const ref = useRef<HTMLLIElement>(null)
  useLayoutEffect(() => {
    const row = ref.current
    return () => {
      if (!row || document.activeElement === document.body) return
      const { nextElementSibling, previousElementSibling } = row
      const sidebar = row.closest("nav")
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return
        const links = [
          linkIn(document.querySelector(`[data-chat-id="${CSS.escape(chatId)}"]`)),
          linkIn(nextElementSibling),
          linkIn(previousElementSibling),
        ]
        const next = links.find((link) => link?.isConnected)
        const target = next ?? sidebar?.querySelector("button")
        target?.focus()
      })
    }
  }, [chatId])
  return ref
}
