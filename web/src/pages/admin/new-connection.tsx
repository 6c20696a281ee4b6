import { useQuery } from "@tanstack/react-query"
import type { ProviderInfo } from "../../../../server/src/connections/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { providersQuery } from "../../lib/queries.ts"
import { Form } from "../../ui/form.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { useCreateForm } from "../../ui/use-form.ts"
import {
  ConnectionBasics,
  ConnectionTest,
  testUnsavedConnection,
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
      breadcrumb={<BackLink to="/admin/connections">{t("label.connections")}</BackLink>}
      narrow
    >
      <QueryResult query={providers} rows={8}>
        {(items) => <NewConnectionForm providers={items} />}
      </QueryResult>
    </Page>
  )
}

const NewConnectionForm = ({ providers }: { providers: readonly ProviderInfo[] }) => {
  const form = useCreateForm({
    initial: createConnectionValues(providers),
    create: (values) => api.post("/api/v1/connections/create", { body: withDefaultName(values) }),
    invalidates: [["connections"], ["models"]],
    onCreated: ({ id }, router) =>
      router.navigate({
        to: "/admin/connections/$connectionId",
        params: { connectionId: id },
        ignoreBlocker: true,
      }),
  })
  const { values, set, error } = form
  const test = useConnectionTest(values, () => testUnsavedConnection(withDefaultName(values)))
  return (
    <Form form={form} action={t("connections.add")}>
      <ProviderTiles providers={providers} values={values} set={set} />
      <ConnectionBasics values={values} set={set} error={error ?? test.error} />
      <ConnectionTest test={test} />
    </Form>
  )
}
