import { CSPProvider } from "@base-ui/react/csp-provider"
import { Select as Base } from "@base-ui/react/select"
import { Check, ChevronDown } from "lucide-react"
import { useContext } from "react"
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

interface SelectProps<Value extends string> extends Partial<ControlProps> {
  "aria-label"?: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onValue: (value: Value) => void
  className?: string
}

/** A list of a few choices to open; typing selects by first letters. */
export const Select = <Value extends string>(props: SelectProps<Value>) => {
  const { disabled = false, value, options, onValue, className, ...controlProps } = props
  const markChanged = useContext(FieldChangeContext)
  return (
    // The style element that hides scrollbars would violate the page's CSP.
    <CSPProvider disableStyleElements>
      <Base.Root
        items={options}
        value={value}
        disabled={disabled}
        onValueChange={(next) => {
          if (next === null || next === value) return
          markChanged()
          onValue(next)
        }}
      >
        <Base.Trigger
          {...controlProps}
          className={classes(
            controlClass,
            "flex h-8.5 items-center gap-2 pr-2 text-left disabled:cursor-not-allowed",
            className,
          )}
        >
          <Base.Value className="min-w-0 flex-1 truncate" />
          <Base.Icon className="shrink-0 text-muted">
            <ChevronDown aria-hidden className="size-4" />
          </Base.Icon>
        </Base.Trigger>
        <Base.Portal>
          <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50">
            <Base.Popup className={popupClass}>
              <Base.List>
                {options.map((option) => (
                  <Base.Item key={option.value} value={option.value} className={optionClass}>
                    <Base.ItemText className="min-w-0 flex-1">{option.label}</Base.ItemText>
                    <Base.ItemIndicator>
                      <Check aria-hidden className="size-4 text-accent" />
                    </Base.ItemIndicator>
                  </Base.Item>
                ))}
              </Base.List>
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </CSPProvider>
  )
}

/** A select with its label, help and error. */
export const SelectField = <Value extends string>(props: ControlFieldProps<SelectProps<Value>>) => {
  const { field, control } = splitFieldProps(props)
  return <Field {...field}>{(controlProps) => <Select {...control} {...controlProps} />}</Field>
}
