import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { Boxes, MessageSquare, Plus, SquareFunction } from "lucide-react"
import type { WorkspaceModel } from "../../../../server/src/models/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { describeEndOfLife } from "../../lib/end-of-life.ts"
import { formatNumber } from "../../lib/format.ts"
import { describePrice } from "../../lib/format-price.ts"
import { modelsQuery, workspaceModelQuery } from "../../lib/queries.ts"
import { useCurrentUser, usePageSession } from "../../lib/session.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { CopyButton } from "../../ui/copy-button.tsx"
import { DeleteSection } from "../../ui/delete-section.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { BackLink, DefinitionList, Page, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { useEditForm } from "../../ui/use-form.ts"
import { mayManage } from "../grants/access.ts"
import { LazyLimitPanel } from "../limits/lazy-limit-panel.tsx"
import { TransferSection } from "../ownership/transfer-section.tsx"
import { RecentUsage } from "../usage/recent-usage.tsx"
import { KeySnippets } from "./key-snippets.tsx"
import { AvailabilityStatus, useConnections } from "./list.tsx"
import {
  capabilityNames,
  describeAccess,
  describeSource,
  type ListedModel,
  mayWrite,
  mergeModels,
  modelOwner,
} from "./model-descriptions.ts"
import { ModelForm } from "./model-form.tsx"
import { toModelValues, toRequestBody } from "./model-values.ts"

const route = getRouteApi("/inside/models/view/$modelId")

export const ModelPage = () => {
  const me = useCurrentUser()
  const { modelId } = route.useParams()
  const models = useQuery(modelsQuery)
  const workspace = useQuery(workspaceModelQuery(modelId))
  const above = <BackLink to="/models">{t("label.models")}</BackLink>
  const own = workspace.data
  const all =
    models.data && own !== undefined ? mergeModels(models.data, own ? [own] : []) : undefined
  const model = all?.find(({ id }) => id === modelId)
  const editable = own && mayWrite(me, own) ? own : null
  if (!all) {
    return (
      <Page title={modelId} breadcrumb={above}>
        <QueryResult query={models} rows={8}>
          {() => (
            <QueryResult query={workspace} rows={8}>
              {() => null}
            </QueryResult>
          )}
        </QueryResult>
      </Page>
    )
  }
  return (
    <Page
      title={model?.name ?? modelId}
      lead={editable ? undefined : model?.workspace?.meta.description}
      breadcrumb={above}
      action={model && <Actions model={model} />}
    >
      {model ? <Model key={model.id} model={model} editable={editable} /> : <ModelNotFound />}
    </Page>
  )
}

const ModelNotFound = () => (
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
      <ButtonLink to="/" search={{ model: model.id }} variant="primary" icon={MessageSquare}>
        {t("action.startChat")}
      </ButtonLink>
    )}
  </>
)

/** Links administrators to the function that offers the model. */
const FunctionLink = ({ model: { id, record, workspace } }: { model: ListedModel }) => {
  const { role } = useCurrentUser()
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
  /** The workspace model with all its fields, if the user may change it. */
  editable: WorkspaceModel | null
}

const Model = ({ model, editable }: ModelProps) =>
  editable ? (
    <>
      <Facts model={model} isEditable />
      <ModelUsage id={model.id} />
      <Edit workspace={editable} />
      <TransferModel workspace={editable} />
      <DeleteModel workspace={editable} />
    </>
  ) : (
    <>
      <Facts model={model} />
      <ModelUsage id={model.id} />
      <Section title={t("keys.use")} lead={t("keys.useLead")}>
        <KeySnippets secret="$PORTICO_API_KEY" model={model.id} />
      </Section>
    </>
  )

/** The model's limits, and what all users used of it, for administrators. */
const ModelUsage = ({ id }: { id: string }) => {
  const { role } = useCurrentUser()
  if (role !== "admin") return null
  return (
    <>
      <LazyLimitPanel target={{ type: "model", id }} />
      <RecentUsage filter="model" id={id} />
    </>
  )
}

interface FactsProps {
  model: ListedModel
  /** Omits what the form below shows. */
  isEditable?: boolean
}

const Facts = ({ model, isEditable = false }: FactsProps) => {
  const { record } = model
  const { role } = useCurrentUser()
  const { show_cost } = usePageSession()
  const isPriceShown = show_cost || role === "admin"
  const end = record && describeEndOfLife(record)
  const shared = describeAccess(model, useConnections())
  return (
    <DefinitionList
      rows={[
        [
          t("label.id"),
          <span key="id" className="inline-flex max-w-full items-center gap-1">
            <code className="break-all">{model.id}</code>
            <CopyButton text={model.id} label={t("models.copyId")} />
          </span>,
        ],
        [t("label.status"), <AvailabilityStatus key="state" model={model} />],
        ...(isEditable ? [] : [[t("models.source"), describeSource(model)] as const]),
        [t("models.can"), [t("label.text"), ...capabilityNames(record)].join(", ")],
        ...(record?.context_length
          ? [[t("models.context"), formatNumber(record.context_length)] as const]
          : []),
        ...(record?.max_output
          ? [[t("models.maxOutput"), formatNumber(record.max_output)] as const]
          : []),
        ...(record?.price && isPriceShown
          ? [[t("models.price"), describePrice(record.price)] as const]
          : []),
        ...(end === undefined ? [] : [[t("models.endOfLife"), end] as const]),
        ...(shared && !isEditable ? [[t("label.access"), shared] as const] : []),
        ...(model.workspace ? [[t("label.owner"), modelOwner(model.workspace)] as const] : []),
      ]}
    />
  )
}

const Edit = ({ workspace }: { workspace: WorkspaceModel }) => {
  const form = useEditForm({
    object: workspace,
    valuesOf: toModelValues,
    save: (values) => {
      const { id, ...body } = toRequestBody(values, workspace)
      return api.post("/api/v1/models/model/update", { query: { id }, body })
    },
    invalidates: [["models"]],
  })
  return <ModelForm form={form} />
}

const TransferModel = ({ workspace: { id, name, user_id } }: { workspace: WorkspaceModel }) => {
  const me = useCurrentUser()
  if (!mayManage(me, { user_id })) return null
  const transfer = (to: string) =>
    api.post("/api/v1/models/model/transfer", { query: { id }, body: { transfer_to: to } })
  return (
    <TransferSection
      target={{ name, user_id, transfer, note: t("transfer.modelNote") }}
      backTo="/models"
      invalidates={[["models"]]}
    />
  )
}

const DeleteModel = ({ workspace: { id, name } }: { workspace: WorkspaceModel }) => (
  <DeleteSection
    action={t("models.delete")}
    title={t("action.deleteOne", { name })}
    lead={t("models.deleteHelp")}
    onRemove={(confirm) => api.post("/api/v1/models/model/delete", { body: { id, confirm } })}
    backTo="/models"
    invalidates={[["models"]]}
  />
)
