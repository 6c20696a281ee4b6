import type { ReactNode } from "react"
import { t } from "../../i18n/translate.ts"
import { daySeconds } from "../../lib/utc-days.ts"
import { Field, Input } from "../../ui/field.tsx"

export const SettingsGroup = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="flex flex-col gap-5 rounded border border-line p-4">
    <h2 className="text-base font-semibold">{title}</h2>
    {children}
  </section>
)

interface NumberFieldProps {
  label: string
  help?: string
  value: number
  onValue: (value: number) => void
  /** The unit, shown after the number. */
  unit: string
  min?: number
  max?: number
  /** `any` allows fractions. */
  step?: number | "any"
  locked?: string | undefined
  error?: string | undefined
}

export const NumberField = (props: NumberFieldProps) => {
  const { label, help, value, onValue, unit, locked, error, ...range } = props
  return (
    <Field
      label={label}
      {...(help && { help })}
      {...(locked && { locked })}
      {...(error && { error })}
    >
      {(controlProps) => (
        <div className="flex items-center gap-2">
          <Input
            {...controlProps}
            {...range}
            type="number"
            inputMode={range.step === "any" ? "decimal" : "numeric"}
            value={value}
            onChange={({ target }) => onValue(Number(target.value))}
            className="w-32! tabular"
          />
          <span className="text-sm text-muted">{unit}</span>
        </div>
      )}
    </Field>
  )
}

interface DaysFieldProps extends Pick<NumberFieldProps, "label" | "help" | "locked" | "error"> {
  seconds: number
  onSeconds: (seconds: number) => void
}

/** A duration, entered in days. */
export const DaysField = ({ seconds, onSeconds, ...field }: DaysFieldProps) => (
  <NumberField
    {...field}
    unit={t("settings.days")}
    min={0}
    step="any"
    value={Number((seconds / daySeconds).toFixed(3))}
    onValue={(days) => onSeconds(Math.round(days * daySeconds))}
  />
)
