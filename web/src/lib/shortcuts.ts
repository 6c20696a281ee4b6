import { useEffect, useRef } from "react"

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

const names: Record<string, string> = {
  mod: isMac ? "⌘" : "Ctrl",
  shift: isMac ? "⇧" : "Shift",
  alt: isMac ? "⌥" : "Alt",
  up: "↑",
  enter: "Enter",
  escape: "Esc",
  tab: "Tab",
}

/** The key labels of a combination such as `mod+shift+c` on this platform. */
export const keyNames = (combination: string): string[] =>
  combination
    .split("+")
    .map((key) => names[key] ?? (key.length === 1 ? key.toLocaleUpperCase() : key))

const matches = (event: KeyboardEvent, combination: string): boolean => {
  const keys = combination.split("+")
  const key = keys.at(-1) ?? ""
  const mod = isMac ? event.metaKey : event.ctrlKey
  const wanted = (name: string): boolean => keys.includes(name)
  // On some layouts "/" needs Shift.
  const shift = key === "/" || event.shiftKey === wanted("shift")
  return (
    event.key.toLowerCase() === key &&
    mod === wanted("mod") &&
    shift &&
    event.altKey === wanted("alt")
  )
}

/**
 * Runs `action` when a combination such as `mod+k` (⌘ on a Mac, otherwise Ctrl) is pressed
 * anywhere.
 */
export const useShortcut = (combination: string, action: (() => void) | undefined): void => {
  const latest = useRef(action)
  latest.current = action
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!latest.current || event.defaultPrevented || !matches(event, combination)) return
      event.preventDefault()
      latest.current()
    }
    window.addEventListener("keydown", onKey)
    return () => window.removeEventListener("keydown", onKey)
  }, [combination])
}
