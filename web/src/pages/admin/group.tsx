import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import type { Group } from "../../../../server/src/groups/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { groupQuery } from "../../lib/queries.ts"
import { queryClient } from "../../lib/query-client.ts"
import { DeleteSection } from "../../ui/delete-section.tsx"
import { Form } from "../../ui/form.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { useEditForm } from "../../ui/use-form.ts"
import { LimitPanel } from "../limits/limit-panel.tsx"
import { RecentUsage } from "../usage/recent-usage.tsx"
import { GroupMembers } from "./group-members.tsx"
import { GroupFields } from "./new-group.tsx"
import { ServiceKeys } from "./service-keys.tsx"

const route = getRouteApi("/inside/admin/groups/$groupId")

export const GroupPage = () => {
  const { groupId } = route.useParams()
  const group = useQuery(groupQuery(groupId))
  return (
    <Page
      title={group.data?.name ?? t("label.group")}
      lead={group.data && t("groups.count", { count: group.data.member_count })}
      breadcrumb={<BackLink to="/admin/groups">{t("label.groups")}</BackLink>}
      narrow
    >
      <QueryResult query={group}>
        {(data) => (
          <>
            <Details key={data.id} group={data} />
            <GroupMembers groupId={data.id} provisioned={data.source === "scim"} area="admin" />
            <LimitPanel target={{ type: "group", id: data.id }} lead={t("limits.groupLead")} />
            <ServiceKeys groupId={data.id} area="admin" />
            <RecentUsage filter="group_id" id={data.id} />
            <DeleteSection
              action={t("groups.delete")}
              title={t("action.deleteOne", { name: data.name })}
              lead={t("groups.deleteLead")}
              onRemove={(confirm) =>
                api.delete("/api/v1/groups/:id", { params: { id: data.id }, query: { confirm } })
              }
              backTo="/admin/groups"
              invalidates={[["groups"]]}
            />
          </>
        )}
      </QueryResult>
    </Page>
  )
}

const valuesOf = ({ name, description, pays }: Group) => ({ name, description, pays })

const Details = ({ group }: { group: Group }) => {
  const { id, source } = group
  const form = useEditForm({
    object: group,
    valuesOf,
    save: (body) => api.post("/api/v1/groups/:id/update", { params: { id }, body }),
    invalidates: [["groups"]],
    onSaved: (saved) => queryClient.setQueryData(groupQuery(id).queryKey, saved),
  })
  return (
    <Form form={form}>
      <GroupFields form={form} provisioned={source === "scim"} />
    </Form>
  )
}
