import { Autocomplete } from "@base-ui/react/autocomplete"
import { X } from "lucide-react"
import { useContext, useState } from "react"
import { t } from "../i18n/translate.ts"
import { classes } from "./classes.ts"
import { type ControlProps, Field, FieldChange, type FieldProps, Input } from "./field.tsx"
import { optionClass, popupClass } from "./popup-classes.ts"

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
            onAdd={add}
            placeholder={values.length === 0 ? placeholder : undefined}
            suggestions={free}
          />
          {values.length > 0 && <TokenList values={values} onValues={onValues} />}
        </div>
      )}
    </Field>
  )
}

interface SuggestionInputProps extends ControlProps {
  text: string
  onText: (text: string) => void
  onAdd: (text: string) => void
  placeholder: string | undefined
  suggestions: readonly string[]
}

/** A text field with suggestions; Enter adds the highlighted one, or else the text. */
const SuggestionInput = (props: SuggestionInputProps) => {
  const { text, onText, onAdd, placeholder, suggestions, ...controlProps } = props
  const [openedBy, setOpenedBy] = useState<string | null>(null)
  // Once a typed text is added, its suggestions close: an open list hides the rest of the page from
  // screen readers.
  const isOpen = openedBy !== null && (openedBy !== "input-change" || text !== "")
  const word = text.trim()
  const found = suggestions.filter((one) => one.toLowerCase().includes(word.toLowerCase()))
  // The text itself can be added too, unless it is a suggestion.
  const items = word === "" || found.length === 0 || found.includes(word) ? found : [...found, word]
  return (
    <Autocomplete.Root
      items={items}
      filter={null}
      value={text}
      autoHighlight
      openOnInputClick
      open={isOpen}
      onOpenChange={(open, { reason }) => setOpenedBy(open ? reason : null)}
      disabled={controlProps.disabled}
      onValueChange={(next, { reason }) => (reason === "item-press" ? onAdd(next) : onText(next))}
    >
      <Autocomplete.Input
        {...controlProps}
        placeholder={placeholder}
        autoComplete="off"
        onBlur={() => onAdd(text)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || word === "" || event.nativeEvent.isComposing) return
          event.preventDefault()
          if (!event.currentTarget.getAttribute("aria-activedescendant")) onAdd(text)
        }}
        render={<Input />}
      />
      <Autocomplete.Portal>
        <Autocomplete.Positioner sideOffset={4} className="z-50">
          <Autocomplete.Popup className={classes(popupClass, items.length === 0 && "hidden")}>
            <Autocomplete.List>
              {(item: string) => (
                <Autocomplete.Item key={item} value={item} className={optionClass}>
                  <span className="min-w-0 truncate">
                    {found.includes(item) ? item : t("tokens.add", { text: item })}
                  </span>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  )
}

/** The values, each with a button that removes it. */
const TokenList = ({ values, onValues }: Pick<TokensFieldProps, "values" | "onValues">) => {
  const markChanged = useContext(FieldChange)
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
