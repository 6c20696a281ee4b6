import { useMutation, useQueryClient } from "@tanstack/react-query"
import { getRouteApi, useRouter } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { useDraft } from "../../ui/form.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { ModelForm } from "./model-form.tsx"
import { emptyModel, toRequestBody } from "./model-values.ts"

const route = getRouteApi("/inside/models/new")

export const NewModelPage = () => {
  const { base = "" } = route.useSearch()
  const router = useRouter()
  const client = useQueryClient()
  const { values, set, dirty } = useDraft(emptyModel(base))
  const create = useMutation({
    mutationFn: () => api.post("/api/v1/models/create", { body: toRequestBody(values) }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ["models"] })
      await router.navigate({
        to: "/models/view/$modelId",
        params: { modelId: id },
        ignoreBlocker: true,
      })
    },
  })
  return (
    <Page
      title={t("models.create")}
      lead={t("models.createLead")}
      breadcrumb={<BackLink to="/models">{t("models.title")}</BackLink>}
    >
      <ModelForm
        fresh
        values={values}
        set={set}
        dirty={dirty}
        saving={create.isPending}
        saved={create.isSuccess}
        error={create.error}
        onSave={create.mutate}
      />
    </Page>
  )
}
