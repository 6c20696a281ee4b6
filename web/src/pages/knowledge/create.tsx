import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { collectionApi } from "../../lib/knowledge-api.ts"
import { Form, useDraft } from "../../ui/form.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { CollectionFields, type CollectionValues, collectionPaths } from "./collection-form.tsx"

const empty: CollectionValues = { name: "", description: "", search: "hybrid", access_grants: [] }

/** `/knowledge/new` */
export const NewCollectionPage = () => {
  const router = useRouter()
  const client = useQueryClient()
  const { values, set, dirty } = useDraft(empty)
  const create = useMutation({
    mutationFn: () => collectionApi.create(values),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ["collections"] })
      await router.navigate({
        to: "/knowledge/$collectionId",
        params: { collectionId: id },
        ignoreBlocker: true,
      })
    },
  })
  return (
    <Page
      title={t("knowledge.create")}
      lead={t("knowledge.createLead")}
      breadcrumb={<BackLink to="/knowledge">{t("knowledge.title")}</BackLink>}
      narrow
    >
      <Form
        dirty={dirty}
        always
        saving={create.isPending}
        saved={create.isSuccess}
        error={create.error}
        fields={collectionPaths}
        onSave={create.mutate}
        action={t("knowledge.create")}
      >
        <CollectionFields values={values} set={set} error={create.error} shareable />
      </Form>
    </Page>
  )
}
