import { useLocation } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { promptApi } from "../../lib/prompt-api.ts"
import { CreatePage } from "../../ui/create-page.tsx"
import { BackLink } from "../../ui/page.tsx"
import { useCreateForm } from "../../ui/use-form.ts"
import { PromptFields, type PromptValues, toCommand } from "./prompt-fields.tsx"

const empty: PromptValues = { title: "", command: "", content: "", access_grants: [] }

/** `/prompts/new` */
export const NewPromptPage = () => {
  const content = useLocation({ select: ({ state }) => state.promptText ?? "" })
  const form = useCreateForm({
    initial: { ...empty, content },
    create: promptApi.create,
    invalidates: [["prompts"]],
    onCreated: (_created, router) => router.navigate({ to: "/prompts", ignoreBlocker: true }),
  })
  const { values, set } = form
  /** The command follows the title until the user changes it. */
  const setTitle = (title: string): void => {
    const follows = values.command === toCommand(values.title)
    set({ title, ...(follows && { command: toCommand(title) }) })
  }
  return (
    <CreatePage
      title={t("prompts.create")}
      lead={t("prompts.createLead")}
      breadcrumb={<BackLink to="/prompts">{t("label.prompts")}</BackLink>}
      form={form}
    >
      <PromptFields form={form} onTitle={setTitle} shareable />
    </CreatePage>
  )
}
