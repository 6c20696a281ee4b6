import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react"
import { t } from "../../i18n/translate.ts"
import type { PromptToInsert } from "../../lib/prompt-api.ts"
import { findVariables, isAutomatic } from "../../lib/prompt-variables.ts"
import { Button } from "../../ui/button.tsx"
import { Field, TextArea } from "../../ui/field.tsx"
import { Select } from "../../ui/select.tsx"

interface PromptFieldsProps {
  prompt: PromptToInsert
  /** Receives the values by the variables' names. */
  onInsert: (values: Record<string, string>) => void
  onClose: () => void
}

/** Asks for the values of a prompt's variables, at the top of the composer. */
export const PromptVariablesForm = ({ prompt, onInsert, onClose }: PromptFieldsProps) => {
  const form = useRef<HTMLFormElement>(null)
  const variables = findVariables(prompt.content).filter((variable) => !isAutomatic(variable))
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(variables.map(({ name, defaultValue }) => [name, defaultValue])),
  )
  const setValue = (name: string, value: string): void => setValues({ ...values, [name]: value })

  useEffect(() => {
    form.current?.querySelector<HTMLElement>("textarea, button")?.focus()
  }, [])

  const insert = (event: FormEvent): void => {
    event.preventDefault()
    onInsert(values)
  }
  const onKey = (event: KeyboardEvent): void => {
    // Keys in the open list of a select arrive here too, although it is outside the form.
    const isInForm = event.target instanceof Node && event.currentTarget.contains(event.target)
    if (event.nativeEvent.isComposing || !isInForm) return
    if (event.key === "Escape") {
      event.stopPropagation()
      onClose()
    }
    if (event.key === "Enter" && !event.shiftKey && event.target instanceof HTMLTextAreaElement) {
      event.preventDefault()
      form.current?.requestSubmit()
    }
  }

  const title = t("prompts.fillIn", { name: prompt.title })
  return (
    <form
      ref={form}
      aria-label={title}
      data-takes-held-keys
      onSubmit={insert}
      onKeyDown={onKey}
      className="flex max-h-[45vh] flex-col gap-3 overflow-y-auto rounded-t-lg border-b border-line bg-surface p-3.5"
    >
      <h2 className="text-sm font-semibold break-words">{title}</h2>
      {variables.map(({ name, options }) => (
        <Field key={name} label={name}>
          {(controlProps) =>
            options.length > 0 ? (
              <Select
                {...controlProps}
                value={values[name] ?? ""}
                onValue={(value) => setValue(name, value)}
                options={options.map((value) => ({ value, label: value }))}
              />
            ) : (
              <TextArea
                {...controlProps}
                rows={1}
                value={values[name] ?? ""}
                onChange={({ target }) => setValue(name, target.value)}
                className="max-h-40 min-h-8.5! resize-none"
              />
            )
          }
        </Field>
      ))}
      <div className="flex gap-2">
        <Button type="submit" variant="primary">
          {t("prompts.insert")}
        </Button>
        <Button onClick={onClose}>{t("action.cancel")}</Button>
      </div>
    </form>
  )
}
