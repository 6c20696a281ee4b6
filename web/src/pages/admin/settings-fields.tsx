import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { Settings } from "../../../../server/src/settings/schema.ts"
import { t } from "../../i18n/translate.ts"
import { modelsQuery } from "../../lib/queries.ts"
import { daySeconds } from "../../lib/utc-days.ts"
import { ComboboxField, toChoice } from "../../ui/combobox.tsx"
import { type FieldProps, TextAreaField } from "../../ui/field.tsx"
import { bindField } from "../../ui/form.tsx"
import { NumberField } from "../../ui/number-field.tsx"
import { SelectField } from "../../ui/select.tsx"
import type { FormState } from "../../ui/use-form.ts"
import { isChatModel } from "../chat/chat-models.ts"

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

const bannerKinds = ["info", "warning"] as const

/** The notice above every page. */
export const BannerFields = ({ form }: { form: FormState<Settings> }) => (
  <>
    <TextAreaField
      label={t("label.text")}
      help={t("settings.bannerHelp")}
      maxLength={500}
      {...bindField(form, "banner")}
    />
    <SelectField
      label={t("settings.bannerKind")}
      {...bindField(form, "banner_kind")}
      options={bannerKinds.map((value) => ({ value, label: t(`settings.bannerKind.${value}`) }))}
    />
  </>
)

interface ModelSettingProps {
  /** A model's ID; empty if administrators choose none. */
  value: string
  onValue: (id: string) => void
  error: string | undefined
}

/** The model of new chats for people who have not chosen one yet. */
export const DefaultModelField = ({ value, onValue, error }: ModelSettingProps) => {
  const { data: models = [] } = useQuery(modelsQuery)
  const choices = models.filter(isChatModel).map(toChoice)
  const isOffered = value === "" || choices.some((choice) => choice.value === value)
  const label = models.find(({ id }) => id === value)?.name ?? value
  return (
    <ComboboxField
      label={t("settings.defaultModel")}
      error={error}
      placeholder={t("settings.defaultModelNone")}
      choices={isOffered ? choices : [...choices, { value, label }]}
      value={value === "" ? null : value}
      onValue={(id) => onValue(id ?? "")}
    />
  )
}

/** The model that rewrites questions before files are searched. */
export const QueryRewritingModelField = ({ value, onValue, error }: ModelSettingProps) => {
  const { data: models = [] } = useQuery(modelsQuery)
  const choices = [
    { value: "none", label: t("settings.rewritingOff") },
    ...models.filter(isChatModel).map(toChoice),
  ]
  const isOffered = value === "" || choices.some((choice) => choice.value === value)
  return (
    <ComboboxField
      label={t("settings.rewritingModel")}
      help={t("settings.rewritingModelHelp")}
      error={error}
      placeholder={t("settings.rewritingOwn")}
      choices={isOffered ? choices : [...choices, { value, label: value }]}
      value={value === "" ? null : value}
      onValue={(id) => onValue(id ?? "")}
    />
  )
}
