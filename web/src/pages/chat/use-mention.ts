import { type KeyboardEvent, type RefObject, useRef, useState } from "react"

import { findMention } from "./mention.ts"
import type { SuggestionKeyHandler } from "./suggestion-list.tsx"

const listId = "attach-choices"

interface Deps {
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  setText: (text: string) => void
}

/** The "#…" at the caret and the state of its suggestions. */
export const useMention = ({ area, text, setText }: Deps) => {
  const [caret, setCaret] = useState<number | null>(null)
  /** Offset of a "#" whose suggestions the user dismissed. */
  const [dismissed, setDismissed] = useState<number | null>(null)
  const [active, setActive] = useState<string | undefined>(undefined)
  const pickerKeys = useRef<SuggestionKeyHandler | null>(null)
  const found = caret === null ? null : findMention(text, caret)
  const mention = found && found.from !== dismissed ? found : null

  return {
    id: listId,
    mention,
    setActive,
    keys: pickerKeys,
    controlProps: {
      "aria-controls": mention ? listId : undefined,
      "aria-activedescendant": mention ? active : undefined,
    },
    /** @returns whether the list handled the key */
    handleKey: (event: KeyboardEvent): boolean => {
      if (!mention || event.shiftKey || !pickerKeys.current?.handleKey(event.key)) return false
      event.preventDefault()
      event.stopPropagation()
      return true
    },
    /** Call it when the caret or the text changes. */
    updateCaret: (): void => {
      const field = area.current
      if (!field) return
      const { selectionStart, selectionEnd } = field
      setCaret(selectionStart === selectionEnd ? selectionStart : null)
      if (!findMention(field.value, selectionStart)) setDismissed(null)
    },
    onBlur: (): void => setCaret(null),
    dismiss: (): void => setDismissed(mention?.from ?? null),
    /** Removes the mention from the text. */
    removeMention: (): void => {
      const field = area.current
      if (!field || !mention || caret === null) return
      field.focus()
      field.setRangeText("", mention.from, caret, "end")
      setText(field.value)
      setCaret(field.selectionStart)
    },
    /** Inserts a "#", which opens the suggestions. */
    insertMention: (): void => {
      const field = area.current
      if (!field) return
      field.focus()
      const { selectionStart: at, value } = field
      const space = at > 0 && !/\s/.test(value[at - 1] ?? "") ? " " : ""
      field.setRangeText(`${space}#`, at, field.selectionEnd, "end")
      setText(field.value)
      setDismissed(null)
      setCaret(field.selectionStart)
    },
  }
}
