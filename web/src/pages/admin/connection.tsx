import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import type {
  ConnectionTestResult,
  ConnectionView,
} from "../../../../server/src/connections/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { connectionQuery } from "../../lib/queries.ts"
import { queryClient } from "../../lib/query-client.ts"
import { DeleteSection } from "../../ui/delete-section.tsx"
import { Form } from "../../ui/form.tsx"
import { BackLink, DefinitionList, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { Time } from "../../ui/time.tsx"
import { useEditForm } from "../../ui/use-form.ts"
import { LimitPanel } from "../limits/limit-panel.tsx"
import { RecentUsage } from "../usage/recent-usage.tsx"
import {
  ConnectionBasics,
  ConnectionTest,
  ProviderLabel,
  testUnsavedConnection,
  useConnectionTest,
  useProviderInfo,
  withDefaultName,
} from "./connection-form.tsx"
import { HealthError, HealthStatus } from "./connection-health.tsx"
import { ConnectionOptions } from "./connection-options.tsx"

const route = getRouteApi("/inside/admin/connections/$connectionId")

export const ConnectionPage = () => {
  const { connectionId } = route.useParams()
  const connection = useQuery(connectionQuery(connectionId))
  return (
    <Page
      title={connection.data?.name ?? t("objects.type.connection")}
      lead={connection.data?.base_url}
      breadcrumb={<BackLink to="/admin/connections">{t("label.connections")}</BackLink>}
      narrow
    >
      <QueryResult query={connection} rows={8}>
        {(data) => (
          <>
            <State connection={data} />
            <Details key={data.id} connection={data} />
            <LimitPanel target={{ type: "connection", id: data.id }} />
            <RecentUsage filter="connection_id" id={data.id} />
            {data.source === "database" && (
              <DeleteSection
                action={t("connections.delete")}
                title={t("action.deleteOne", { name: data.name })}
                lead={t("connections.deleteLead")}
                onRemove={(confirm) =>
                  api.delete("/api/v1/connections/:id", {
                    params: { id: data.id },
                    query: { confirm },
                  })
                }
                backTo="/admin/connections"
                invalidates={[["connections"], ["models"]]}
              />
            )}
          </>
        )}
      </QueryResult>
    </Page>
  )
}

const State = ({ connection: { kind, health } }: { connection: ConnectionView }) => (
  <DefinitionList
    rows={[
      [t("label.type"), <ProviderLabel key={kind} kind={kind} />],
      [
        t("connections.health"),
        <div key="health">
          <HealthStatus health={health} />
          <HealthError health={health} />
        </div>,
      ],
      [t("connections.answered"), <Time key="answered" at={health.last_ok_at} />],
      [t("label.models"), health.models],
      [t("connections.running"), health.running],
    ]}
  />
)

const valuesOf = (connection: ConnectionView) => ({
  kind: connection.kind,
  name: connection.name,
  base_url: connection.base_url,
  api_key: "",
  id_prefix: connection.id_prefix ?? "",
  allowed_models: connection.allowed_models,
  access_grants: connection.access_grants,
  connect_timeout: connection.connect_timeout,
  first_byte_timeout: connection.first_byte_timeout,
  idle_timeout: connection.idle_timeout,
  enabled: connection.enabled,
})

const toChanges = (values: ReturnType<typeof valuesOf>) => {
  const { kind, api_key, id_prefix, ...rest } = withDefaultName(values)
  return { ...rest, id_prefix: id_prefix || null, ...(api_key && { api_key }) }
}

const Details = ({ connection }: { connection: ConnectionView }) => {
  const params = { id: connection.id }
  const provider = useProviderInfo(connection.kind)
  const locked = connection.source === "database" ? undefined : (provider?.variable ?? "")
  const form = useEditForm({
    object: connection,
    valuesOf,
    save: (changed) =>
      api.post("/api/v1/connections/:id/update", { params, body: toChanges(changed) }),
    invalidates: [["models"]],
    onSaved: (saved) => queryClient.setQueryData(connectionQuery(connection.id).queryKey, saved),
  })
  const { values, set, isDirty, error } = form
  // Unsaved changes can only be tested with a newly entered key, because the API never returns the
  // saved key.
  const ask = (): Promise<ConnectionTestResult> =>
    isDirty && values.api_key
      ? testUnsavedConnection({ kind: connection.kind, ...toChanges(values) })
      : api.post("/api/v1/connections/:id/test", { params })
  const test = useConnectionTest(values, ask)
  const basics = (
    <>
      <ConnectionBasics
        values={values}
        set={set}
        error={error ?? test.error}
        savedKey={connection.api_key}
        locked={locked}
      />
      <ConnectionTest test={test} />
    </>
  )
  // The environment sets every field, so that there is nothing to save.
  if (locked !== undefined) return <div className="flex flex-col gap-5">{basics}</div>
  return (
    <Form form={form}>
      {basics}
      <ConnectionOptions values={values} set={set} error={error} />
    </Form>
  )
}
