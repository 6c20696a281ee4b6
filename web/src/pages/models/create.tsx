import { getRouteApi } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { BackLink, Page } from "../../ui/page.tsx"
import { useCreateForm } from "../../ui/use-form.ts"
import { ModelForm } from "./model-form.tsx"
import { emptyModel, toRequestBody } from "./model-values.ts"

const route = getRouteApi("/inside/models/new")

export const NewModelPage = () => {
  const { base = "" } = route.useSearch()
  const form = useCreateForm({
    initial: emptyModel(base),
    create: (values) => api.post("/api/v1/models/create", { body: toRequestBody(values) }),
    invalidates: [["models"]],
    onCreated: ({ id }, router) =>
      router.navigate({
        to: "/models/view/$modelId",
        params: { modelId: id },
        ignoreBlocker: true,
      }),
  })
  return (
    <Page
      title={t("models.create")}
      lead={t("models.createLead")}
      breadcrumb={<BackLink to="/models">{t("label.models")}</BackLink>}
    >
      <ModelForm form={form} />
    </Page>
  )
}
