import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { formatDate } from "../../lib/format.ts"
import { lazyComponent } from "../../lib/lazy-component.tsx"
import { type PromptToInsert, promptQuery } from "../../lib/prompt-api.ts"
import { fillVariables, findVariables, isAutomatic } from "../../lib/prompt-variables.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { LazyPopup } from "../../ui/lazy-popup.tsx"
import {
  type EditedText,
  type SuggestionTrigger,
  useSuggestionMenu,
} from "./use-suggestion-menu.ts"

/** "/" at the start of a message, followed by the beginning of a command or words of a title. */
const commandPattern = /^\/([\p{L}\p{N}_-][\p{L}\p{N} _-]{0,60}|)$/u

const findCommand = (text: string, caret: number): SuggestionTrigger | null => {
  const query = commandPattern.exec(text.slice(0, caret))?.[1]
  return query === undefined ? null : { from: 0, query }
}

const PromptPicker = lazyComponent(async () => (await import("./prompt-picker.tsx")).PromptPicker)
const PromptVariablesForm = lazyComponent(
  async () => (await import("./prompt-variables-form.tsx")).PromptVariablesForm,
)

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

/** The prompts that "/" at the start of a message suggests, and the fields of the chosen one. */
export const usePromptMenu = (edited: EditedText) => {
  const { area, setText } = edited
  const me = useCurrentUser()
  const suggestions = useSuggestionMenu(edited, "prompt-choices", findCommand)
  /** A prompt whose variables are being filled in. */
  const [chosen, setChosen] = useState<PromptToInsert | null>(null)

  /** Replaces the command at the caret by the prompt's text. */
  const insertPrompt = ({ content }: PromptToInsert, values: Record<string, string>): void => {
    const field = area.current
    if (!field) return
    const automatic = { date: formatDate(Date.now() / 1000), user: me.name }
    const { selectionStart, selectionEnd, value } = field
    const from = findCommand(value, selectionStart)?.from ?? selectionStart
    suggestions.replace(from, selectionEnd, fillVariables(content, { ...automatic, ...values }))
    suggestions.hide()
    setChosen(null)
  }
  const choosePrompt = (prompt: PromptToInsert): void => {
    suggestions.hide()
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
    suggestions.dismiss()
    area.current?.focus()
  }
  return {
    ...suggestions,
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
        <LazyPopup inField onCancel={suggestions.dismiss}>
          {suggestions.list && <PromptPicker {...suggestions.list} onPick={choosePrompt} />}
        </LazyPopup>
      </>
    ),
    /** Inserts "/" at the start, which opens the suggestions. */
    openMenu: (): void => suggestions.open(0, 0, "/"),
  }
}
