import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { Gauge } from "lucide-react"
import type { Limit } from "../../../../server/src/limits/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { limitsQuery } from "../../lib/limit-queries.ts"
import { DeleteSection } from "../../ui/delete-section.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { Form } from "../../ui/form.tsx"
import { BackLink, Card, DefinitionList, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { Time } from "../../ui/time.tsx"
import { useEditForm } from "../../ui/use-form.ts"
import { LimitFields, limitErrorFields } from "../limits/limit-fields.tsx"
import { LimitBadges, LimitState, SetByBadge } from "../limits/limit-state.tsx"
import { describeLimit } from "../limits/limit-text.ts"
import { toLimitChange, toLimitValues } from "../limits/limit-values.ts"
import { TargetLink } from "./limit-target-link.tsx"

const route = getRouteApi("/inside/admin/limits/$limitId")

export const LimitPage = () => {
  const { limitId } = route.useParams()
  const limits = useQuery(limitsQuery({ id: limitId }))
  const [limit] = limits.data?.items ?? []
  return (
    <Page
      title={limit ? describeLimit(limit) : t("limits.limit")}
      breadcrumb={<BackLink to="/admin/limits">{t("label.limits")}</BackLink>}
      narrow
    >
      <QueryResult query={limits} rows={8}>
        {({ items: [found] }) =>
          found ? (
            <Details key={found.id} limit={found} />
          ) : (
            <EmptyState icon={Gauge} title={t("limits.gone")}>
              {t("limits.goneHelp")}
            </EmptyState>
          )
        }
      </QueryResult>
    </Page>
  )
}

const Details = ({ limit }: { limit: Limit }) => {
  const params = { id: limit.id }
  return (
    <>
      <Facts limit={limit} />
      <Edit limit={limit} />
      <DeleteSection
        action={t("limits.delete")}
        title={t("limits.deleteOne", { limit: describeLimit(limit) })}
        lead={t("limits.deleteLead")}
        onRemove={() => api.delete("/api/v1/limits/:id", { params })}
        backTo="/admin/limits"
        invalidates={[["limits"]]}
      />
    </>
  )
}

const Facts = ({ limit }: { limit: Limit }) => (
  <>
    <DefinitionList
      rows={[
        [
          t(`limits.type.${limit.target.type}`),
          <span key="target" className="[&_a]:hover:underline">
            <TargetLink {...limit} />
          </span>,
        ],
        ...(limit.model === undefined ? [] : [[t("limits.model"), limit.model] as const]),
        [t("label.created"), <Time key="created" at={limit.created_at} />],
      ]}
    />
    <Card className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2 empty:hidden">
        <LimitBadges {...limit} />
        <SetByBadge {...limit} />
      </div>
      <LimitState {...limit} />
    </Card>
  </>
)

const Edit = ({ limit }: { limit: Limit }) => {
  const form = useEditForm({
    object: limit,
    valuesOf: toLimitValues,
    save: (values) =>
      api.post("/api/v1/limits/:id/update", {
        params: { id: limit.id },
        body: toLimitChange(values),
      }),
    invalidates: [["limits"]],
  })
  return (
    <Form form={form} fields={limitErrorFields}>
      <LimitFields {...form} exists />
    </Form>
  )
}
