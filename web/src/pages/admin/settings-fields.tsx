import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { Settings } from "../../../../server/src/settings/schema.ts"
import { t } from "../../i18n/translate.ts"
import { modelsQuery } from "../../lib/queries.ts"
import { daySeconds } from "../../lib/utc-days.ts"
import { type ComboboxChoice, ComboboxField, toChoice } from "../../ui/combobox.tsx"
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

const limitDecisions = ["admit", "reject"] as const

/** What happens to requests that limits cannot be checked for. */
export const LimitSettingFields = ({ form }: { form: FormState<Settings> }) => (
  <>
    <SelectField
      label={t("settings.unpriced")}
      help={t("settings.unpricedHelp")}
      {...bindField(form, "unpriced_models")}
      options={limitDecisions.map((value) => ({ value, label: t(`settings.unpriced.${value}`) }))}
    />
    <SelectField
      label={t("settings.withoutDatabase")}
      help={t("settings.withoutDatabaseHelp")}
      {...bindField(form, "limits_without_database")}
      options={limitDecisions
        .toReversed()
        .map((value) => ({ value, label: t(`settings.withoutDatabase.${value}`) }))}
    />
  </>
)

interface ModelSettingProps {
  /** A model's ID; empty if administrators choose none. */
  value: string
  onValue: (id: string) => void
  error: string | undefined
}

interface ModelFieldProps extends ModelSettingProps {
  label: string
  help?: string
  placeholder: string
  /** Before the models. */
  firstChoices?: readonly ComboboxChoice[]
}

/** One of the models that can chat; a stored model that no longer can remains a choice. */
const ModelField = ({ value, onValue, firstChoices = [], ...field }: ModelFieldProps) => {
  const { data: models = [] } = useQuery(modelsQuery)
  const choices = [...firstChoices, ...models.filter(isChatModel).map(toChoice)]
  const isOffered = value === "" || choices.some((choice) => choice.value === value)
  const label = models.find(({ id }) => id === value)?.name ?? value
  return (
    <ComboboxField
      {...field}
      choices={isOffered ? choices : [...choices, { value, label }]}
      value={value === "" ? null : value}
      onValue={(id) => onValue(id ?? "")}
    />
  )
}

/** The model of new chats for people who have not chosen one yet. */
export const DefaultModelField = (props: ModelSettingProps) => (
  <ModelField
    {...props}
    label={t("settings.defaultModel")}
    placeholder={t("settings.defaultModelNone")}
  />
)

/** The model that rewrites questions before files are searched. */
export const QueryRewritingModelField = (props: ModelSettingProps) => (
  <ModelField
    {...props}
    label={t("settings.rewritingModel")}
    help={t("settings.rewritingModelHelp")}
    placeholder={t("settings.rewritingOwn")}
    firstChoices={[{ value: "none", label: t("settings.rewritingOff") }]}
  />
)
