import { useState } from "react"
import { t } from "../i18n/translate.ts"
import { parseNumber } from "../lib/parse-number.ts"
import { classes } from "./classes.ts"
import { Field, type FieldProps, Input } from "./field.tsx"

interface NumberFieldProps extends Omit<FieldProps, "children" | "problem"> {
  value: number | null
  onValue: (value: number) => void
  /** Called when the field is emptied; without it, a number is required. */
  onEmpty?: () => void
  isWhole?: boolean
  placeholder?: string
  /** Shown after the number. */
  unit?: string
  inputClass?: string
}

/**
 * A field for a number. A text that is none stays in the field, with what is wrong below it, and
 * keeps the form from being saved.
 */
export const NumberField = (props: NumberFieldProps) => {
  const { value, onValue, onEmpty, isWhole = false, ...rest } = props
  const { placeholder, unit, inputClass, ...field } = rest
  const [typed, setTyped] = useState<string | null>(null)
  const isEmpty = typed?.trim() === ""
  const parsed = typed === null ? value : parseNumber(typed, isWhole)
  const isWrong = typed !== null && parsed === null && !(isEmpty && onEmpty)
  // The value may have changed since it was typed.
  const text = typed !== null && (isWrong || parsed === value) ? typed : String(value ?? "")
  return (
    <Field
      {...field}
      problem={isWrong ? t(isWhole ? "form.wholeNumber" : "form.number") : undefined}
    >
      {(controlProps) => (
        <div className="flex items-center gap-2">
          <Input
            {...controlProps}
            inputMode={isWhole ? "numeric" : "decimal"}
            autoComplete="off"
            placeholder={placeholder}
            value={text}
            onChange={({ target }) => {
              setTyped(target.value)
              const next = parseNumber(target.value, isWhole)
              if (next !== null) onValue(next)
              else if (target.value.trim() === "") onEmpty?.()
            }}
            className={classes("tabular", inputClass)}
          />
          {unit !== undefined && <span className="text-sm text-muted">{unit}</span>}
        </div>
      )}
    </Field>
  )
}
