import { t } from "../../i18n/translate.ts"
import { collectionApi } from "../../lib/knowledge-api.ts"
import { CreatePage } from "../../ui/create-page.tsx"
import { BackLink } from "../../ui/page.tsx"
import { useCreateForm } from "../../ui/use-form.ts"
import { CollectionFields, type CollectionValues } from "./collection-fields.tsx"

const initial: CollectionValues = {
  name: "",
  description: "",
  search: "hybrid",
  query_rewriting: "automatic",
  access_grants: [],
}

/** `/knowledge/new` */
export const NewCollectionPage = () => {
  const form = useCreateForm({
    initial,
    create: collectionApi.create,
    invalidates: [["collections"]],
    onCreated: ({ id }, router) =>
      router.navigate({
        to: "/knowledge/$collectionId",
        params: { collectionId: id },
        ignoreBlocker: true,
      }),
  })
  return (
    <CreatePage
      title={t("knowledge.create")}
      lead={t("knowledge.createLead")}
      breadcrumb={<BackLink to="/knowledge">{t("label.knowledge")}</BackLink>}
      form={form}
    >
      <CollectionFields form={form} shareable />
    </CreatePage>
  )
}
