import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react"
import { formatDate } from "../../lib/format.ts"
import { lazyComponent } from "../../lib/lazy-component.tsx"
import { type PromptToInsert, promptQuery } from "../../lib/prompt-api.ts"
import { fillVariables, findVariables, isAutomatic } from "../../lib/prompt-variables.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { LazyPopup } from "../../ui/lazy-popup.tsx"
import type { SuggestionKeyHandler } from "./suggestion-list.tsx"

/** "/" at the start of a message, followed by the beginning of a command or words of a title. */
const commandPattern = /^\/([\p{L}\p{N}_-][\p{L}\p{N} _-]{0,60}|)$/u

/** The text after "/" up to the caret; null if no command is being typed. */
const findPromptCommand = (text: string, caret: number): string | null =>
  commandPattern.exec(text.slice(0, caret))?.[1] ?? null

const PromptPicker = lazyComponent(async () => (await import("./prompt-picker.tsx")).PromptPicker)
const PromptVariablesForm = lazyComponent(
  async () => (await import("./prompt-variables-form.tsx")).PromptVariablesForm,
)

const listId = "prompt-choices"

/** Inserts the prompt that the URL names, once, and removes it from the URL. */
const useRequestedPrompt = (onPrompt: (prompt: PromptToInsert) => void): void => {
  const { prompt: id } = useSearch({ strict: false })
  const navigate = useNavigate()
  const { data } = useQuery({ ...promptQuery(id ?? ""), enabled: id !== undefined })
  const latest = useRef(onPrompt)
  latest.current = onPrompt
  useEffect(() => {
    if (!data) return
    latest.current(data)
    void navigate({ to: ".", search: (rest) => ({ ...rest, prompt: undefined }), replace: true })
  }, [data, navigate])
}

interface Deps {
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  setText: (text: string) => void
}

/** The prompts that "/" at the start of a message suggests, and the fields of the chosen one. */
export const usePromptMenu = ({ area, text, setText }: Deps) => {
  const me = useCurrentUser()
  const [caret, setCaret] = useState<number | null>(null)
  const [isDismissed, setDismissed] = useState(false)
  const [active, setActive] = useState<string | undefined>(undefined)
  /** A prompt whose variables are being filled in. */
  const [chosen, setChosen] = useState<PromptToInsert | null>(null)
  const keys = useRef<SuggestionKeyHandler | null>(null)
  const command = caret === null || isDismissed ? null : findPromptCommand(text, caret)
  const isOpen = command !== null && chosen === null

  /** Replaces the command at the caret by the prompt's text. */
  const insertPrompt = ({ content }: PromptToInsert, values: Record<string, string>): void => {
    const field = area.current
    if (!field) return
    const automatic = { date: formatDate(Date.now() / 1000), user: me.name }
    const { selectionStart, selectionEnd, value } = field
    const from = findPromptCommand(value, selectionStart) === null ? selectionStart : 0
    field.focus()
    field.setRangeText(
      fillVariables(content, { ...automatic, ...values }),
      from,
      selectionEnd,
      "end",
    )
    setText(field.value)
    setCaret(null)
    setChosen(null)
  }
  const choosePrompt = (prompt: PromptToInsert): void => {
    if (findVariables(prompt.content).every(isAutomatic)) insertPrompt(prompt, {})
    else setChosen(prompt)
  }
  useRequestedPrompt((prompt) => {
    const field = area.current
    if (!field) return
    const { length } = field.value
    if (length > 0) field.setRangeText("\n\n", length, length, "end")
    setText(field.value)
    choosePrompt(prompt)
  })
  const closeFields = (): void => {
    setChosen(null)
    setDismissed(true)
    area.current?.focus()
  }

  return {
    menu: (
      <>
        <LazyPopup onCancel={closeFields}>
          {chosen && (
            <PromptVariablesForm
              prompt={chosen}
              onInsert={(values) => insertPrompt(chosen, values)}
              onClose={closeFields}
            />
          )}
        </LazyPopup>
        <LazyPopup inField onCancel={() => setDismissed(true)}>
          {isOpen && (
            <PromptPicker
              id={listId}
              query={command}
              keys={keys}
              onActive={setActive}
              onPick={choosePrompt}
              onClose={() => setDismissed(true)}
            />
          )}
        </LazyPopup>
      </>
    ),
    controlProps: isOpen ? { "aria-controls": listId, "aria-activedescendant": active } : {},
    /** @returns whether the list handled the key */
    handleKey: (event: KeyboardEvent): boolean => {
      if (!isOpen || event.shiftKey || !keys.current?.handleKey(event.key)) return false
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
      if (findPromptCommand(value, selectionStart) === null) setDismissed(false)
    },
    onBlur: (): void => setCaret(null),
    /** Inserts "/" at the start, which opens the suggestions. */
    open: (): void => {
      const field = area.current
      if (!field) return
      field.focus()
      field.setRangeText("/", 0, 0, "start")
      field.setSelectionRange(1, 1)
      setText(field.value)
      setDismissed(false)
      setCaret(1)
    },
  }
}
