import { Autocomplete } from "@base-ui/react/autocomplete"
import { type KeyboardEvent, useState } from "react"
import { type ControlProps, Input } from "./field.tsx"
import { optionClass, popupClass } from "./popup-classes.ts"

interface SuggestionInputProps extends ControlProps {
  text: string
  onText: (text: string) => void
  /** Called with the option chosen: a suggestion or the text itself. */
  onChoose: (text: string) => void
  /** The label of the option that keeps the text as typed. */
  describeText?: (text: string) => string
  /** Called when Enter is pressed and no option is highlighted. */
  onEnter?: (event: KeyboardEvent<HTMLInputElement>) => void
  onBlur?: () => void
  /** Called when ⌘S is pressed, before the form is saved. */
  onSave?: () => void
  placeholder?: string | undefined
  suggestions: readonly string[]
}

/** The suggestions that contain the text, then the text itself unless it is one of them. */
const findOptions = (suggestions: readonly string[], text: string): readonly string[] => {
  const word = text.trim()
  const found = suggestions.filter((one) => one.toLowerCase().includes(word.toLowerCase()))
  return word === "" || found.length === 0 || found.includes(word) ? found : [...found, word]
}

/** A text field with suggestions; Enter chooses the highlighted one and does not submit the form. */
export const SuggestionInput = (props: SuggestionInputProps) => {
  const { text, onText, onChoose, describeText, onEnter, onBlur, onSave, placeholder, ...rest } =
    props
  const { suggestions, ...controlProps } = rest
  const [openedBy, setOpenedBy] = useState<string | null>(null)
  const options = findOptions(suggestions, text)
  // Once a typed text is gone or matches nothing, the list closes: an open list hides the rest of
  // the page from screen readers.
  const isOpen =
    options.length > 0 && openedBy !== null && (openedBy !== "input-change" || text !== "")
  return (
    <Autocomplete.Root
      items={options}
      filter={null}
      value={text}
      autoHighlight
      openOnInputClick
      open={isOpen}
      onOpenChange={(open, { reason }) => setOpenedBy(open ? reason : null)}
      disabled={controlProps.disabled}
      onValueChange={(next, { reason }) => (reason === "item-press" ? onChoose : onText)(next)}
    >
      <Autocomplete.Input
        {...controlProps}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onBlur={onBlur}
        onKeyDown={(event) => {
          if (event.key === "s" && (event.ctrlKey || event.metaKey)) onSave?.()
          if (event.key !== "Enter" || event.nativeEvent.isComposing) return
          if (event.currentTarget.getAttribute("aria-activedescendant")) event.preventDefault()
          else onEnter?.(event)
        }}
        render={<Input />}
      />
      <Autocomplete.Portal>
        <Autocomplete.Positioner sideOffset={4} className="z-50">
          <Autocomplete.Popup className={popupClass}>
            <Autocomplete.List>
              {(option: string) => (
                <Autocomplete.Item key={option} value={option} className={optionClass}>
                  <span className="min-w-0 truncate">
                    {describeText && !suggestions.includes(option) ? describeText(option) : option}
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
