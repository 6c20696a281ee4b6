import { X } from "lucide-react"
import { useContext, useState } from "react"
import { t } from "../i18n/translate.ts"
import { Field, FieldChangeContext, type FieldProps } from "./field.tsx"
import { SuggestionInput } from "./suggestion-input.tsx"

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
  const change = (next: string): void => {
    if (next.endsWith(",")) add(next.slice(0, -1))
    else setText(next)
  }
  const free = suggestions.filter((suggestion) => !values.includes(suggestion))
  return (
    <Field {...field}>
      {(controlProps) => (
        <div className="flex flex-col gap-2">
          <SuggestionInput
            {...controlProps}
            text={text}
            onText={change}
            onChoose={add}
            describeText={(typed) => t("tokens.add", { text: typed })}
            onBlur={() => add(text)}
            onSave={() => add(text)}
            onEnter={(event) => {
              if (text.trim() === "") return
              event.preventDefault()
              add(text)
            }}
            placeholder={values.length === 0 ? placeholder : undefined}
            suggestions={free}
          />
          {values.length > 0 && <TokenList values={values} onValues={onValues} />}
        </div>
      )}
    </Field>
  )
}

/** The values, each with a button that removes it. */
const TokenList = ({ values, onValues }: Pick<TokensFieldProps, "values" | "onValues">) => {
  const markChanged = useContext(FieldChangeContext)
  const remove = (value: string): void => {
    markChanged()
    onValues(values.filter((other) => other !== value))
  }
  return (
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
            onClick={() => remove(value)}
            className="flex size-6.5 items-center justify-center rounded-md text-muted hover:text-text"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  )
}
