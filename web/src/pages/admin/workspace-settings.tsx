import { useQuery } from "@tanstack/react-query"
import type { Settings } from "../../../../server/src/settings/schema.ts"
import { t } from "../../i18n/translate.ts"
import { modelsQuery } from "../../lib/queries.ts"
import { ComboboxField, toChoice } from "../../ui/combobox.tsx"
import { TextAreaField } from "../../ui/field.tsx"
import { SelectField } from "../../ui/select.tsx"
import { isChatModel } from "../chat/chat-models.ts"

const kinds = ["info", "warning"] as const

interface FieldsProps<Name extends keyof Settings> {
  values: Pick<Settings, Name>
  set: (changes: Partial<Settings>) => void
}

/** The notice above every page. */
export const BannerFields = ({
  values,
  set,
  error,
}: FieldsProps<"banner" | "banner_kind"> & { error: string | undefined }) => (
  <>
    <TextAreaField
      label={t("label.text")}
      help={t("settings.bannerHelp")}
      error={error}
      value={values.banner}
      maxLength={500}
      onValue={(value) => set({ banner: value })}
    />
    <SelectField
      label={t("settings.bannerKind")}
      value={values.banner_kind}
      onValue={(chosen) => set({ banner_kind: kinds.find((kind) => kind === chosen) ?? "info" })}
      options={kinds.map((value) => ({ value, label: t(`settings.bannerKind.${value}`) }))}
    />
  </>
)

/** The model of new chats for people who have not chosen one yet. */
export const DefaultModelField = ({
  values,
  set,
  error,
}: FieldsProps<"default_model"> & { error: string | undefined }) => {
  const { data: models = [] } = useQuery(modelsQuery)
  const { default_model } = values
  const choices = models.filter(isChatModel).map(toChoice)
  const isOffered = default_model === "" || choices.some(({ value }) => value === default_model)
  const current = models.find(({ id }) => id === default_model)?.name ?? default_model
  return (
    <ComboboxField
      label={t("settings.defaultModel")}
      error={error}
      placeholder={t("settings.defaultModelNone")}
      choices={isOffered ? choices : [...choices, { value: default_model, label: current }]}
      value={default_model === "" ? null : default_model}
      onValue={(id) => set({ default_model: id ?? "" })}
    />
  )
}
