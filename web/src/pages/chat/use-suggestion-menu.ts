import { type KeyboardEvent, type RefObject, useRef, useState } from "react"
import type { SuggestionKeyHandler } from "./suggestion-list.tsx"

export interface EditedText {
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  setText: (text: string) => void
}

/** Text that ends at the caret and opens a list of suggestions, such as "#handb". */
export interface SuggestionTrigger {
  /** Where it starts in the text. */
  from: number
  query: string
}

/** The trigger at the caret of a text field and the state of its suggestions. */
export const useSuggestionMenu = (
  { area, text, setText }: EditedText,
  listId: string,
  findTrigger: (text: string, caret: number) => SuggestionTrigger | null,
) => {
  const [caret, setCaret] = useState<number | null>(null)
  /** Where a trigger starts whose suggestions the user dismissed. */
  const [dismissed, setDismissed] = useState<number | null>(null)
  const [active, setActive] = useState<string | undefined>(undefined)
  const keys = useRef<SuggestionKeyHandler | null>(null)
  const found = caret === null ? null : findTrigger(text, caret)
  const trigger = found && found.from !== dismissed ? found : null

  const dismiss = (): void => {
    const field = area.current
    setDismissed(field && (findTrigger(field.value, field.selectionStart)?.from ?? null))
  }
  /** Replaces a part of the text and puts the caret after it. */
  const replace = (from: number, to: number, replacement: string): void => {
    const field = area.current
    if (!field) return
    field.focus()
    field.setRangeText(replacement, from, to, "end")
    setText(field.value)
    setCaret(field.selectionStart)
  }
  return {
    trigger,
    /** Props of the list of suggestions. */
    list: trigger && {
      id: listId,
      query: trigger.query,
      keys,
      onActive: setActive,
      onClose: dismiss,
    },
    /** Props of the text field. */
    controlProps: trigger ? { "aria-controls": listId, "aria-activedescendant": active } : {},
    /** @returns whether the list handled the key */
    handleKey: (event: KeyboardEvent): boolean => {
      if (event.shiftKey || !keys.current?.handleKey(event.key)) return false
      event.preventDefault()
      event.stopPropagation()
      return true
    },
    /** Call it when the caret or the text changes. */
    updateCaret: (): void => {
      const field = area.current
      if (!field) return
      const { selectionStart, selectionEnd, value } = field
      setCaret(selectionStart === selectionEnd ? selectionStart : null)
      if (!findTrigger(value, selectionStart)) setDismissed(null)
    },
    hide: (): void => setCaret(null),
    dismiss,
    replace,
    /** Replaces a part of the text by a trigger, which opens the suggestions. */
    open: (from: number, to: number, opening: string): void => {
      replace(from, to, opening)
      setDismissed(null)
    },
  }
}
