import { X } from "lucide-react"
import { useState } from "react"
import { t } from "../i18n/translate.ts"
import { Field, type FieldProps, Input } from "./field.tsx"

interface TokensFieldProps extends Omit<FieldProps, "children"> {
  values: readonly string[]
  onValues: (values: string[]) => void
  placeholder?: string
  /** Values suggested while typing. */
  suggestions?: readonly string[]
}

/** A list of short texts; Enter or a comma adds one. */
export const TokensField = (props: TokensFieldProps) => {
  const { values, onValues, placeholder, suggestions = [], ...field } = props
  const [text, setText] = useState("")
  const add = (added: string): void => {
    const word = added.trim()
    setText("")
    if (word && !values.includes(word)) onValues([...values, word])
  }
  return (
    <Field {...field}>
      {(controlProps) => (
        <div className="flex flex-col gap-2">
          <Input
            {...controlProps}
            value={text}
            placeholder={placeholder}
            list={`${controlProps.id}-list`}
            onChange={(event) => {
              const { value } = event.target
              if (suggestions.includes(value) || value.endsWith(",")) add(value.replace(/,$/, ""))
              else setText(value)
            }}
            onBlur={() => add(text)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || text.trim() === "") return
              event.preventDefault()
              add(text)
            }}
          />
          <datalist id={`${controlProps.id}-list`}>
            {suggestions
              .filter((suggestion) => !values.includes(suggestion))
              .map((suggestion) => (
                <option key={suggestion} value={suggestion} />
              ))}
          </datalist>
          {values.length > 0 && (
            <ul className="flex flex-wrap gap-1.5">
              {values.map((value) => (
                <li
                  key={value}
                  className="inline-flex h-6.5 max-w-full items-center gap-1 rounded-md bg-hover pl-2 text-xs"
                >
                  <span className="truncate">{value}</span>
                  <button
                    type="button"
                    aria-label={`${t("action.remove")}: ${value}`}
                    onClick={() => onValues(values.filter((other) => other !== value))}
                    className="flex size-6.5 items-center justify-center rounded-md text-muted hover:text-text"
                  >
                    <X aria-hidden className="size-3.5" />
                  </button>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Field>
  )
}
