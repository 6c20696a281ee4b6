import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { CreatedApiKey } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { keysQuery, modelsQuery } from "../../lib/queries.ts"
import { daySeconds } from "../../lib/utc-days.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { CreatePage } from "../../ui/create-page.tsx"
import { TextField } from "../../ui/field.tsx"
import { bindField, fieldError } from "../../ui/form.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { SelectField } from "../../ui/select.tsx"
import { TokensField } from "../../ui/tokens-field.tsx"
import { useCreateForm } from "../../ui/use-form.ts"
import { CreatedSecret } from "./created-secret.tsx"
import { ProgramSetup } from "./program-setup.tsx"
import { isProgramAllowed, programs } from "./program-steps.ts"

const lifetimeDays = ["", "7", "30", "90", "365"] as const

/** Suggested API paths to restrict a key to. */
const defaultRoutes = ["/v1/*", "/api/*", "/ollama/*", "/v1/chat/completions", "/v1/embeddings"]

const empty = { name: "", days: "", models: [] as string[], routes: [] as string[] }

export const NewKeyPage = () => {
  const [created, setCreated] = useState<CreatedApiKey | null>(null)
  return created ? <Created created={created} /> : <NewKey onCreated={setCreated} />
}

const NewKey = ({ onCreated }: { onCreated: (key: CreatedApiKey) => void }) => {
  const { data: models = [] } = useQuery(modelsQuery)
  const form = useCreateForm({
    initial: empty,
    create: ({ name, days, models: allowed_models, routes: allowed_routes }) => {
      const lifetimeSeconds = Number(days) * daySeconds
      return api.post("/api/v1/auths/api_keys", {
        body: {
          name: name.trim() || t("label.apiKey"),
          ...(lifetimeSeconds > 0 && {
            expires_at: Math.floor(Date.now() / 1000) + lifetimeSeconds,
          }),
          ...(allowed_models.length > 0 && { allowed_models }),
          ...(allowed_routes.length > 0 && { allowed_routes }),
        },
      })
    },
    invalidates: [keysQuery.queryKey],
    onCreated,
  })
  const { values, set, error } = form
  return (
    <CreatePage
      title={t("keys.create")}
      lead={t("keys.createLead")}
      breadcrumb={<BackLink to="/account/keys">{t("label.apiKeys")}</BackLink>}
      form={form}
      fields={["name", "expires_at", "allowed_models", "allowed_routes"]}
    >
      <TextField
        label={t("label.name")}
        {...bindField(form, "name")}
        placeholder={t("label.apiKey")}
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
        suggestions={defaultRoutes}
        error={fieldError(error, "allowed_routes")}
      />
    </CreatePage>
  )
}

const Created = ({ created }: { created: CreatedApiKey }) => {
  const [program, setProgram] = useState(
    () => programs.find((candidate) => isProgramAllowed(created, candidate)) ?? programs[0],
  )
  return (
    <Page
      title={t("keys.createdTitle", { name: created.name })}
      lead={t("keys.createdLead")}
      narrow
      action={
        <ButtonLink to="/account/keys" variant="primary">
          {t("keys.done")}
        </ButtonLink>
      }
    >
      <CreatedSecret secret={created.api_key} />
      <ProgramSetup program={program} onProgram={setProgram} created={created} />
    </Page>
  )
}
