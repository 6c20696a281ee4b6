import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { getRouteApi, useRouter } from "@tanstack/react-router"
import type { Group } from "../../../../server/src/groups/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { groupQuery } from "../../lib/queries.ts"
import { DeleteSection } from "../../ui/delete-section.tsx"
import { Form, useDraft } from "../../ui/form.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { GroupMembers } from "./group-members.tsx"
import { GroupFields } from "./new-group.tsx"

const route = getRouteApi("/inside/admin/groups/$groupId")

export const GroupPage = () => {
  const { groupId } = route.useParams()
  const group = useQuery(groupQuery(groupId))
  return (
    <Page
      title={group.data?.name ?? t("groups.one")}
      lead={group.data && t("groups.count", { count: group.data.member_count })}
      breadcrumb={<BackLink to="/admin/groups">{t("groups.title")}</BackLink>}
      narrow
    >
      <QueryResult query={group}>
        {(data) => (
          <>
            <Details key={data.id} group={data} />
            <GroupMembers groupId={data.id} provisioned={data.source === "scim"} />
            <GroupRemoval group={data} />
          </>
        )}
      </QueryResult>
    </Page>
  )
}

const Details = ({ group: { id, name, description, source } }: { group: Group }) => {
  const client = useQueryClient()
  const { values, set, markSaved, dirty } = useDraft({ name, description })
  const save = useMutation({
    mutationFn: () => api.post("/api/v1/groups/:id/update", { params: { id }, body: values }),
    onSuccess: (saved) => {
      markSaved({ name: saved.name, description: saved.description })
      client.setQueryData(groupQuery(id).queryKey, saved)
      void client.invalidateQueries({ queryKey: ["groups"] })
    },
  })
  return (
    <Form
      dirty={dirty}
      saving={save.isPending}
      saved={save.isSuccess}
      error={save.error}
      fields={["name", "description"]}
      onSave={save.mutate}
    >
      <GroupFields values={values} set={set} error={save.error} provisioned={source === "scim"} />
    </Form>
  )
}

const GroupRemoval = ({ group: { id, name } }: { group: Group }) => {
  const router = useRouter()
  const client = useQueryClient()
  const remove = async (confirm?: "delete"): Promise<void> => {
    await api.delete("/api/v1/groups/:id", { params: { id }, query: { confirm } })
    await router.navigate({ to: "/admin/groups", ignoreBlocker: true })
    await client.invalidateQueries({ queryKey: ["groups"] })
  }
  return (
    <DeleteSection
      action={t("groups.delete")}
      title={t("groups.deleteOne", { name })}
      lead={t("groups.deleteLead")}
      onRemove={remove}
    />
  )
}
