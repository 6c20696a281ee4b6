import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { getRouteApi, useRouter } from "@tanstack/react-router"
import { Boxes, MessageSquare, Plus, SquareFunction } from "lucide-react"
import type { WorkspaceModel } from "../../../../server/src/models/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { formatNumber } from "../../lib/format.ts"
import { modelsQuery, workspaceModelQuery } from "../../lib/queries.ts"
import { useMe } from "../../lib/session.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { CopyButton } from "../../ui/copy-button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { useDraft } from "../../ui/form.tsx"
import { Loaded } from "../../ui/loaded.tsx"
import { BackLink, Facts, Page, Section } from "../../ui/page.tsx"
import { RemoveButton } from "../../ui/removal.tsx"
import { KeySnippets } from "../account/snippets.tsx"
import { abilities, type ListedModel, mayChange, merged, sharedWith, sourceOf } from "./describe.ts"
import { State, useConnections } from "./list.tsx"
import { ModelForm } from "./model-form.tsx"
import { bodyOf, valuesOf } from "./values.ts"

const route = getRouteApi("/inside/models/view/$modelId")

export const ModelPage = () => {
  const { modelId } = route.useParams()
  const models = useQuery(modelsQuery)
  const workspace = useQuery(workspaceModelQuery(modelId))
  const above = <BackLink to="/models">{t("models.title")}</BackLink>
  const own = workspace.data
  const all = models.data && own !== undefined ? merged(models.data, own ? [own] : []) : undefined
  const model = all?.find(({ id }) => id === modelId)
  if (!all) {
    return (
      <Page title={modelId} above={above}>
        <Loaded query={models} rows={8}>
          {() => (
            <Loaded query={workspace} rows={8}>
              {() => null}
            </Loaded>
          )}
        </Loaded>
      </Page>
    )
  }
  return (
    <Page
      title={model?.name ?? modelId}
      lead={model?.workspace?.meta.description}
      above={above}
      action={model && <Actions model={model} />}
    >
      {model ? <Model key={model.id} model={model} own={own} /> : <Gone />}
    </Page>
  )
}

const Gone = () => (
  <EmptyState icon={Boxes} title={t("models.gone")}>
    {t("models.goneHelp")}
  </EmptyState>
)

const Actions = ({ model }: { model: ListedModel }) => (
  <>
    {!model.workspace && (
      <ButtonLink to="/models/new" search={{ base: model.id }} icon={Plus}>
        {t("models.createOnIt")}
      </ButtonLink>
    )}
    <FunctionLink model={model} />
    {!model.record?.capabilities.embedding && (
      <ButtonLink to="/" search={{ model: model.id }} look="primary" icon={MessageSquare}>
        {t("models.chat")}
      </ButtonLink>
    )}
  </>
)

/** Links administrators to the function that offers the model. */
const FunctionLink = ({ model: { id, record, workspace } }: { model: ListedModel }) => {
  const { role } = useMe()
  if (workspace || record?.connection_type !== "function" || role !== "admin") return null
  const [functionId = id] = id.split(".")
  return (
    <ButtonLink to="/functions/$functionId" params={{ functionId }} icon={SquareFunction}>
      {t("models.openFunction")}
    </ButtonLink>
  )
}

interface ModelProps {
  model: ListedModel
  /** The workspace model with this ID, with all editable fields. */
  own: WorkspaceModel | null | undefined
}

const Model = ({ model, own }: ModelProps) => {
  const me = useMe()
  const { record } = model
  const words = abilities(record)
  const shared = sharedWith(model, useConnections())
  return (
    <>
      <Facts
        rows={[
          [
            t("models.id"),
            <span key="id" className="inline-flex max-w-full items-center gap-1">
              <code className="break-all">{model.id}</code>
              <CopyButton text={model.id} label={t("models.copyId")} />
            </span>,
          ],
          [t("models.state"), <State key="state" model={model} />],
          [t("models.source"), sourceOf(model)],
          [t("models.can"), ["Text", ...words].join(", ")],
          ...(record?.context_length
            ? [[t("models.context"), formatNumber(record.context_length)] as const]
            : []),
          ...(shared ? [[t("models.grants"), shared] as const] : []),
        ]}
      />
      {own && mayChange(me, own) ? (
        <Edit workspace={own} />
      ) : (
        <Section title={t("keys.use")} lead={t("keys.useLead")}>
          <KeySnippets secret="$PORTICO_API_KEY" model={model.id} />
        </Section>
      )}
    </>
  )
}

const Edit = ({ workspace }: { workspace: WorkspaceModel }) => {
  const client = useQueryClient()
  const { values, set, settle, dirty } = useDraft(valuesOf(workspace))
  const save = useMutation({
    mutationFn: () => {
      const { id, ...changes } = bodyOf(values, workspace)
      return api.post<WorkspaceModel>("/api/v1/models/model/update", changes, { query: { id } })
    },
    onSuccess: (saved) => {
      settle(valuesOf(saved))
      void client.invalidateQueries({ queryKey: ["models"] })
    },
  })
  return (
    <ModelForm
      values={values}
      set={set}
      dirty={dirty}
      saving={save.isPending}
      saved={save.isSuccess}
      error={save.error}
      onSave={save.mutate}
      beside={<Remove workspace={workspace} />}
    />
  )
}

const Remove = ({ workspace: { id, name } }: { workspace: WorkspaceModel }) => {
  const router = useRouter()
  const client = useQueryClient()
  const remove = async (): Promise<void> => {
    await api.post("/api/v1/models/model/delete", { id })
    await router.navigate({ to: "/models", ignoreBlocker: true })
    await client.invalidateQueries({ queryKey: ["models"] })
  }
  return (
    <RemoveButton
      action={t("models.delete")}
      title={t("models.deleteOne", { name })}
      lead={t("models.deleteHelp")}
      onRemove={remove}
    />
  )
}
