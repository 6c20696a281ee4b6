import { useQuery } from "@tanstack/react-query"
import { t } from "../../i18n/translate.ts"
import { modelsQuery } from "../../lib/queries.ts"
import { daySeconds } from "../../lib/utc-days.ts"
import { TextField } from "../../ui/field.tsx"
import { bindField, fieldError } from "../../ui/form.tsx"
import { SelectField } from "../../ui/select.tsx"
import { TokensField } from "../../ui/tokens-field.tsx"
import type { FormState } from "../../ui/use-form.ts"

const lifetimeDays = ["", "7", "30", "90", "365"] as const

export const emptyKey = { name: "", days: "", models: [] as string[], routes: [] as string[] }
export type KeyValues = typeof emptyKey

/** The members of a new key that have fields, and thus show their errors. */
export const keyFieldNames = ["name", "expires_at", "allowed_models", "allowed_routes"]

/** The body that creates a key. */
export const toNewKey = ({ name, days, models, routes }: KeyValues, defaultName: string) => {
  const lifetimeSeconds = Number(days) * daySeconds
  return {
    name: name.trim() || defaultName,
    ...(lifetimeSeconds > 0 && { expires_at: Math.floor(Date.now() / 1000) + lifetimeSeconds }),
    ...(models.length > 0 && { allowed_models: models }),
    ...(routes.length > 0 && { allowed_routes: routes }),
  }
}

interface KeyFieldsProps {
  form: FormState<KeyValues>
  /** The name of a key without one. */
  defaultName: string
  /** Suggested API paths to restrict a key to. */
  suggestedRoutes: readonly string[]
}

/** The fields of a new key. */
export const KeyFields = ({ form, defaultName, suggestedRoutes }: KeyFieldsProps) => {
  const { data: models = [] } = useQuery(modelsQuery)
  const { values, set, error } = form
  return (
    <>
      <TextField
        label={t("label.name")}
        {...bindField(form, "name")}
        placeholder={defaultName}
        autoComplete="off"
      />
      <SelectField
        label={t("label.expires")}
        error={fieldError(error, "expires_at")}
        value={values.days}
        onValue={(days) => set({ days })}
        options={lifetimeDays.map((value) => ({
          value,
          label: value === "" ? t("state.never") : t("keys.inDays", { count: Number(value) }),
        }))}
      />
      <TokensField
        label={t("label.allowedModels")}
        placeholder={t("label.allModels")}
        values={values.models}
        onValues={(next) => set({ models: next })}
        suggestions={models.map(({ id }) => id)}
        error={fieldError(error, "allowed_models")}
      />
      <TokensField
        label={t("keys.routes")}
        help={t("keys.routesHelp")}
        placeholder={t("keys.routesPlaceholder")}
        values={values.routes}
        onValues={(routes) => set({ routes })}
        suggestions={suggestedRoutes}
        error={fieldError(error, "allowed_routes")}
      />
    </>
  )
}
