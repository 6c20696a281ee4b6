import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useLocation, useRouter } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { promptApi } from "../../lib/prompts-api.ts"
import { Form, useDraft } from "../../ui/form.tsx"
import { BackLink, Page } from "../../ui/page.tsx"
import { PromptFields, type PromptValues, promptPaths, toCommand } from "./prompt-form.tsx"

const empty: PromptValues = { title: "", command: "", content: "", access_grants: [] }

/** `/prompts/new` */
export const NewPromptPage = () => {
  const router = useRouter()
  const client = useQueryClient()
  const content = useLocation({ select: ({ state }) => state.promptText ?? "" })
  const { values, set, dirty } = useDraft({ ...empty, content })
  const create = useMutation({
    mutationFn: () => promptApi.create(values),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["prompts"] })
      await router.navigate({ to: "/prompts", ignoreBlocker: true })
    },
  })
  /** The command follows the title until the user changes it. */
  const setTitle = (title: string): void => {
    const follows = values.command === toCommand(values.title)
    set({ title, ...(follows && { command: toCommand(title) }) })
  }
  return (
    <Page
      title={t("prompts.create")}
      lead={t("prompts.createLead")}
      breadcrumb={<BackLink to="/prompts">{t("prompts.title")}</BackLink>}
      narrow
    >
      <Form
        dirty={dirty}
        always
        saving={create.isPending}
        saved={create.isSuccess}
        error={create.error}
        fields={promptPaths}
        onSave={create.mutate}
        action={t("prompts.create")}
      >
        <PromptFields values={values} set={set} onTitle={setTitle} error={create.error} shareable />
      </Form>
    </Page>
  )
}
