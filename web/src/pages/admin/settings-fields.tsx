import type { ReactNode } from "react"
import { t } from "../../i18n/translate.ts"
import { daySeconds } from "../../lib/utc-days.ts"
import type { FieldProps } from "../../ui/field.tsx"
import { NumberField } from "../../ui/number-field.tsx"

export const SettingsGroup = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="flex flex-col gap-5 rounded border border-line p-4">
    <h2 className="text-base font-semibold">{title}</h2>
    {children}
  </section>
)

interface DaysFieldProps extends Pick<FieldProps, "label" | "help" | "locked" | "error"> {
  seconds: number
  onSeconds: (seconds: number) => void
}

/** A duration, entered in days. */
export const DaysField = ({ seconds, onSeconds, ...field }: DaysFieldProps) => (
  <NumberField
    {...field}
    unit={t("settings.days")}
    inputClass="w-32!"
    value={Number((seconds / daySeconds).toFixed(5))}
    onValue={(days) => onSeconds(Math.round(days * daySeconds))}
  />
)
