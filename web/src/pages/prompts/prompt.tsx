import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { MessageSquare } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { type PromptWithAccess, promptApi, promptQuery } from "../../lib/prompt-api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { CopyButton } from "../../ui/copy-button.tsx"
import { DeleteSection } from "../../ui/delete-section.tsx"
import { Form } from "../../ui/form.tsx"
import { BackLink, Card, DefinitionList, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { useEditForm } from "../../ui/use-form.ts"
import { mayManage } from "../grants/access.ts"
import { ownerName } from "../ownership/owner-name.ts"
import { TransferSection } from "../ownership/transfer-section.tsx"
import { PromptFields, type PromptValues, Variables } from "./prompt-fields.tsx"

const route = getRouteApi("/inside/prompts/$promptId")

/** `/prompts/$promptId` */
export const PromptPage = () => {
  const { promptId } = route.useParams()
  const prompt = useQuery(promptQuery(promptId))
  const { data } = prompt
  return (
    <Page
      title={data?.title ?? t("label.prompts")}
      lead={data && <code>/{data.command}</code>}
      breadcrumb={<BackLink to="/prompts">{t("label.prompts")}</BackLink>}
      action={
        data && (
          <ButtonLink to="/" search={{ prompt: data.id }} icon={MessageSquare}>
            {t("prompts.use")}
          </ButtonLink>
        )
      }
      narrow
    >
      <QueryResult query={prompt} rows={8}>
        {(found) =>
          found.writable ? <Edit key={found.id} prompt={found} /> : <Text prompt={found} />
        }
      </QueryResult>
    </Page>
  )
}

const PromptOwner = ({ prompt }: { prompt: PromptWithAccess }) => (
  <DefinitionList rows={[[t("label.owner"), ownerName(prompt)]]} />
)

/** The text of a prompt that the user may use, but not change. */
const Text = ({ prompt }: { prompt: PromptWithAccess }) => (
  <>
    <Card className="flex items-start gap-2">
      <p className="min-w-0 flex-1 text-sm break-words whitespace-pre-wrap">{prompt.content}</p>
      <CopyButton text={prompt.content} label={t("action.copy")} />
    </Card>
    <Variables content={prompt.content} />
    <PromptOwner prompt={prompt} />
  </>
)

const valuesOf = ({ title, command, content, access_grants }: PromptWithAccess): PromptValues => ({
  title,
  command,
  content,
  access_grants,
})

const Edit = ({ prompt }: { prompt: PromptWithAccess }) => {
  const me = useCurrentUser()
  const owned = mayManage(me, prompt)
  const form = useEditForm({
    object: prompt,
    valuesOf,
    save: ({ access_grants, ...fields }) =>
      promptApi.update(prompt.id, owned ? { ...fields, access_grants } : fields),
    invalidates: [["prompts", "list"]],
    onSaved: (saved) => queryClient.setQueryData(promptQuery(prompt.id).queryKey, saved),
  })
  return (
    <>
      <Form form={form}>
        <PromptFields form={form} shareable={owned} />
      </Form>
      <PromptOwner prompt={prompt} />
      {owned && <TransferPrompt prompt={prompt} />}
      {owned && <DeletePrompt prompt={prompt} />}
    </>
  )
}

const TransferPrompt = ({ prompt: { id, title, user_id } }: { prompt: PromptWithAccess }) => (
  <TransferSection
    target={{ name: title, user_id, transfer: (to) => promptApi.transfer(id, to) }}
    backTo="/prompts"
    invalidates={[["prompts"]]}
  />
)

const DeletePrompt = ({ prompt: { id, title } }: { prompt: PromptWithAccess }) => (
  <DeleteSection
    action={t("prompts.delete")}
    title={t("action.deleteOne", { name: title })}
    lead={t("prompts.deleteHelp")}
    onRemove={() => promptApi.remove(id)}
    backTo="/prompts"
    invalidates={[["prompts", "list"]]}
  />
)
