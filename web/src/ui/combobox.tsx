import { Combobox as Base } from "@base-ui/react/combobox"
import { Check, ChevronsUpDown } from "lucide-react"
import { type KeyboardEvent, useContext, useEffect, useRef, useState } from "react"
import { t } from "../i18n/translate.ts"
import { classes } from "./classes.ts"
import {
  type ControlFieldProps,
  type ControlProps,
  controlClass,
  Field,
  FieldChangeContext,
  splitFieldProps,
} from "./field.tsx"
import { optionClass, popupClass } from "./popup-classes.ts"

export interface ComboboxChoice {
  value: string
  label: string
  note?: string
}

/** A choice of an object, with its ID if that differs from its name. */
export const toChoice = ({ id, name }: { id: string; name: string }): ComboboxChoice => ({
  value: id,
  label: name,
  ...(name !== id && { note: id }),
})

interface ComboboxProps extends Partial<ControlProps> {
  "aria-label"?: string
  choices: readonly ComboboxChoice[]
  value: string | null
  onValue: (value: string | null) => void
  placeholder?: string
  /** Called with the typed text, for choices searched by the server. */
  onQuery?: (query: string) => void
  /** The choices still answer an earlier query. */
  loading?: boolean
}

/**
 * Enter chooses the highlighted match and never submits the form. While choices load, it waits for
 * them instead of choosing a match of an earlier query.
 */
const useEnterKey = (loading: boolean) => {
  const list = useRef<HTMLDivElement>(null)
  const [isWaiting, setWaiting] = useState(false)
  useEffect(() => {
    if (!isWaiting || loading) return
    setWaiting(false)
    list.current?.querySelector<HTMLElement>("[role=option]")?.click()
  }, [isWaiting, loading])
  const onKeyDown = (
    event: KeyboardEvent<HTMLInputElement> & { preventBaseUIHandler: () => void },
  ): void => {
    setWaiting(false)
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return
    event.preventDefault()
    const { currentTarget: input } = event
    const highlighted = input.getAttribute("aria-activedescendant")
    // Without a match, the list stays open and the text is kept.
    if (loading || !highlighted) event.preventBaseUIHandler()
    if (loading && input.value.trim() !== "") setWaiting(true)
  }
  return { list, onKeyDown }
}

/** A select with type-ahead search. */
export const Combobox = (props: ComboboxProps) => {
  const { choices, value, onValue, placeholder, onQuery, disabled = false, ...rest } = props
  const { loading = false, ...controlProps } = rest
  const { list, onKeyDown } = useEnterKey(loading)
  const markChanged = useContext(FieldChangeContext)
  const chosen = choices.find((choice) => choice.value === value) ?? null
  return (
    <Base.Root
      items={choices}
      value={chosen}
      onValueChange={(choice: ComboboxChoice | null) => {
        markChanged()
        onValue(choice?.value ?? null)
      }}
      itemToStringLabel={(choice: ComboboxChoice) => choice.label}
      isItemEqualToValue={(a: ComboboxChoice, b: ComboboxChoice) => a.value === b.value}
      disabled={disabled}
      autoHighlight
      {...(onQuery && { onInputValueChange: onQuery, filter: null })}
    >
      <div className="relative">
        <Base.Input
          {...controlProps}
          onKeyDown={onKeyDown}
          // Typing replaces the choice, also if a dialog has set the focus.
          onFocus={(event) => event.currentTarget.select()}
          placeholder={placeholder}
          className={classes(controlClass, "h-8.5 pr-8")}
        />
        <Base.Trigger
          tabIndex={-1}
          aria-label={placeholder ?? t("list.search")}
          className="absolute inset-y-0 right-0 flex w-8 items-center justify-center text-muted"
        >
          <ChevronsUpDown aria-hidden className="size-4" />
        </Base.Trigger>
      </div>
      <Base.Portal>
        <Base.Positioner sideOffset={4} className="z-50">
          <Base.Popup className={popupClass}>
            <Base.Empty className="px-2 py-1.5 text-sm text-muted empty:p-0">
              {t("list.nothing")}
            </Base.Empty>
            <Base.List ref={list}>
              {(choice: ComboboxChoice) => (
                <Base.Item key={choice.value} value={choice} className={optionClass}>
                  <span className="min-w-0 flex-1">
                    <span className="block truncate">{choice.label}</span>
                    {choice.note && (
                      <span className="block truncate text-xs text-muted">{choice.note}</span>
                    )}
                  </span>
                  <Base.ItemIndicator>
                    <Check aria-hidden className="size-4 text-accent" />
                  </Base.ItemIndicator>
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** A combobox with its label, help and error. */
export const ComboboxField = (props: ControlFieldProps<ComboboxProps>) => {
  const { field, control } = splitFieldProps(props)
  return <Field {...field}>{(controlProps) => <Combobox {...control} {...controlProps} />}</Field>
}
