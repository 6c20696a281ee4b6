import { useState } from "react"
import type { CreatedApiKey } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { keysQuery } from "../../lib/queries.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { CreatePage } from "../../ui/create-page.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { useCreateForm } from "../../ui/use-form.ts"
import { CreatedSecret } from "./created-secret.tsx"
import { emptyKey, KeyFields, keyFieldNames, toNewKey } from "./key-fields.tsx"
import { ProgramSetup } from "./program-setup.tsx"
import { isProgramAllowed, programs } from "./program-steps.ts"

const suggestedRoutes = ["/v1/*", "/api/*", "/ollama/*", "/v1/chat/completions", "/v1/embeddings"]

export const NewKeyPage = () => {
  const [created, setCreated] = useState<CreatedApiKey | null>(null)
  return created ? <Created created={created} /> : <NewKey onCreated={setCreated} />
}

const NewKey = ({ onCreated }: { onCreated: (key: CreatedApiKey) => void }) => {
  const defaultName = t("label.apiKey")
  const form = useCreateForm({
    initial: emptyKey,
    create: (values) => api.post("/api/v1/auths/api_keys", { body: toNewKey(values, defaultName) }),
    invalidates: [keysQuery.queryKey],
    onCreated,
  })
  return (
    <CreatePage
      title={t("keys.create")}
      lead={t("keys.createLead")}
      breadcrumb={<BackLink to="/account/keys">{t("label.apiKeys")}</BackLink>}
      form={form}
      fields={keyFieldNames}
    >
      <KeyFields form={form} defaultName={defaultName} suggestedRoutes={suggestedRoutes} />
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
