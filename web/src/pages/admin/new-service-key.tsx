import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useState } from "react"
import type { CreatedApiKey } from "../../../../server/src/auth/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { groupQuery, serviceKeysQuery } from "../../lib/queries.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { CreatePage } from "../../ui/create-page.tsx"
import { BackLink, Page, Section } from "../../ui/page.tsx"
import { useCreateForm } from "../../ui/use-form.ts"
import { CreatedSecret } from "../account/created-secret.tsx"
import { emptyKey, KeyFields, keyFieldNames, toNewKey } from "../account/key-fields.tsx"
import { KeySnippets } from "../models/key-snippets.tsx"
import { type GroupArea, groupPaths } from "./group-paths.ts"

const suggestedRoutes = ["/v1/*", "/v1/chat/completions", "/v1/messages", "/v1/embeddings"]

export const NewServiceKeyPage = () => <ServiceKeyPage area="admin" />
export const ManagedServiceKeyPage = () => <ServiceKeyPage area="account" />

const ServiceKeyPage = ({ area }: { area: GroupArea }) => {
  const { groupId = "" } = useParams({ strict: false })
  const [created, setCreated] = useState<CreatedApiKey | null>(null)
  const place = { groupId, area }
  return created ? (
    <Created {...place} created={created} />
  ) : (
    <NewKey {...place} onCreated={setCreated} />
  )
}

interface Place {
  groupId: string
  area: GroupArea
}

interface NewKeyProps extends Place {
  onCreated: (key: CreatedApiKey) => void
}

const NewKey = ({ groupId, area, onCreated }: NewKeyProps) => {
  const { data: group } = useQuery(groupQuery(groupId))
  const defaultName = t("serviceKeys.defaultName")
  const form = useCreateForm({
    initial: emptyKey,
    create: (values) =>
      api.post("/api/v1/groups/:id/keys", {
        params: { id: groupId },
        body: toNewKey(values, defaultName),
      }),
    invalidates: [serviceKeysQuery(groupId).queryKey, ["keys"]],
    onCreated,
  })
  return (
    <CreatePage
      title={t("serviceKeys.create")}
      lead={t("keys.createLead")}
      // The link takes the group's ID from this page's own path.
      breadcrumb={
        <BackLink to={groupPaths[area].group}>{group?.name ?? t("label.group")}</BackLink>
      }
      form={form}
      fields={keyFieldNames}
    >
      <KeyFields form={form} defaultName={defaultName} suggestedRoutes={suggestedRoutes} />
    </CreatePage>
  )
}

const Created = ({ created, groupId, area }: Place & { created: CreatedApiKey }) => (
  <Page
    title={t("keys.createdTitle", { name: created.name })}
    lead={t("keys.createdLead")}
    narrow
    action={
      <ButtonLink to={groupPaths[area].group} params={{ groupId }} variant="primary">
        {t("keys.done")}
      </ButtonLink>
    }
  >
    <CreatedSecret secret={created.api_key} />
    <Section title={t("keys.use")}>
      <KeySnippets secret={created.api_key} />
    </Section>
  </Page>
)
