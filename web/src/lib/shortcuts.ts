import { useEffect, useRef } from "react"
import { isMessageKey, t } from "../i18n/translate.ts"

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

const symbols: Record<string, string> = {
  ...(isMac && { mod: "⌘", shift: "⇧", alt: "⌥" }),
  up: "↑",
}

const labelOf = (key: string): string => {
  const symbol = symbols[key]
  if (symbol) return symbol
  const name = `key.${key}`
  if (isMessageKey(name)) return t(name)
  return key.length === 1 ? key.toLocaleUpperCase() : key
}

/** The key labels of a combination such as `mod+shift+c` on this platform. */
export const keyLabels = (combination: string): string[] => combination.split("+").map(labelOf)

const matches = (event: KeyboardEvent, combination: string): boolean => {
  const keys = combination.split("+")
  const key = keys.at(-1) ?? ""
  const mod = isMac ? event.metaKey : event.ctrlKey
  const hasKey = (name: string): boolean => keys.includes(name)
  // On some layouts "/" needs Shift.
  const shift = key === "/" || event.shiftKey === hasKey("shift")
  return (
    event.key.toLowerCase() === key &&
    mod === hasKey("mod") &&
    shift &&
    event.altKey === hasKey("alt")
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
