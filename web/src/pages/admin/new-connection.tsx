import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import type { ProviderInfo } from "../../../../server/src/connections/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { providersQuery } from "../../lib/queries.ts"
import { Form, useDraft } from "../../ui/form.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import {
  ConnectionBasics,
  ConnectionTest,
  testUnsaved,
  useConnectionTest,
  withDefaultName,
} from "./connection-form.tsx"
import { createConnectionValues, ProviderTiles } from "./provider-tiles.tsx"

export const NewConnectionPage = () => {
  const providers = useQuery(providersQuery)
  return (
    <Page
      title={t("connections.add")}
      lead={t("connections.addLead")}
      breadcrumb={<BackLink to="/admin/connections">{t("connections.title")}</BackLink>}
      narrow
    >
      <QueryResult query={providers} rows={8}>
        {(items) => <NewConnectionForm providers={items} />}
      </QueryResult>
    </Page>
  )
}

const NewConnectionForm = ({ providers }: { providers: readonly ProviderInfo[] }) => {
  const router = useRouter()
  const client = useQueryClient()
  const { values, set, dirty } = useDraft(createConnectionValues(providers))
  const create = useMutation({
    mutationFn: () => api.post("/api/v1/connections/create", { body: withDefaultName(values) }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ["connections"] })
      await client.invalidateQueries({ queryKey: ["models"] })
      await router.navigate({
        to: "/admin/connections/$connectionId",
        params: { connectionId: id },
        ignoreBlocker: true,
      })
    },
  })
  const test = useConnectionTest(values, () => testUnsaved(withDefaultName(values)))
  return (
    <Form
      dirty={dirty}
      always
      saving={create.isPending}
      saved={create.isSuccess}
      error={create.error}
      fields={["kind", "name", "base_url", "api_key"]}
      onSave={create.mutate}
      action={t("connections.add")}
    >
      <ProviderTiles providers={providers} values={values} set={set} />
      <ConnectionBasics values={values} set={set} error={create.error ?? test.error} />
      <ConnectionTest test={test} />
    </Form>
  )
}
