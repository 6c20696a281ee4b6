import { useMutation, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Boxes, Server } from "lucide-react"
import type { ConnectionView } from "../../../../server/src/connections/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { containsWords, type QueryState, toMatchingPage } from "../../lib/list-result.ts"
import type { ListSearchParams } from "../../lib/list-search-params.ts"
import { connectionsQuery, modelsQuery, workspaceModelsQuery } from "../../lib/queries.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Badge, Status } from "../../ui/badge.tsx"
import { ButtonLink } from "../../ui/button.tsx"
import { EndOfLifeNote } from "../../ui/end-of-life-note.tsx"
import { errorText } from "../../ui/error-note.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import { Switch } from "../../ui/switch.tsx"
import { type Column, NameCell } from "../../ui/table.tsx"
import { ModelImportExport } from "./import-export.tsx"
import {
  availabilityOf,
  capabilityNames,
  describeAccess,
  describeSource,
  type ListedModel,
  mayWrite,
  mergeModels,
  modelOwner,
} from "./model-descriptions.ts"
import { describeNoModels } from "./no-models.tsx"

/** Connections, for administrators only; others may not see their grants. */
export const useConnections = (): readonly ConnectionView[] | undefined => {
  const { role } = useCurrentUser()
  return useQuery({ ...connectionsQuery, enabled: role === "admin" }).data
}

/** All models, with those of the workspace. */
const useListedModels = (): QueryState<ListedModel[]> => {
  const models = useQuery({ ...modelsQuery, refetchInterval: 10_000 })
  const workspace = useQuery(workspaceModelsQuery)
  return {
    data: models.data && workspace.data && mergeModels(models.data, workspace.data),
    error: models.error ?? workspace.error,
    refetch: () => Promise.all([models.refetch(), workspace.refetch()]),
  }
}

export const ModelsPage = () => {
  const { role } = useCurrentUser()
  const list = useListSearch<"kind" | "state">()
  const models = useListedModels()
  const connections = useConnections()
  const matches = (model: ListedModel): boolean => matchesSearch(model, list.search)
  return (
    <ListPage
      title={t("label.models")}
      lead={t("models.lead")}
      list={list}
      result={toMatchingPage(models, list.params, matches)}
      searchLabel={t("action.searchModels")}
      filters={[
        {
          name: "kind",
          label: t("models.source"),
          options: [
            { value: "", label: t("models.anySource") },
            { value: "workspace", label: t("models.workspace") },
            { value: "local", label: t("label.runtime") },
            { value: "external", label: t("label.provider") },
            { value: "function", label: t("objects.type.function") },
          ],
        },
        {
          name: "state",
          label: t("label.status"),
          options: [
            { value: "", label: t("label.anyStatus") },
            { value: "ready", label: t("label.ready") },
            { value: "away", label: t("label.unavailable") },
            { value: "off", label: t("label.disabled") },
          ],
        },
      ]}
      create={{ to: "/models/new", label: t("models.create") }}
      actions={
        role === "admin" && (
          <>
            <ModelImportExport />
            <ButtonLink to="/models/runtime" icon={Server}>
              {t("label.runtime")}
            </ButtonLink>
          </>
        )
      }
      icon={Boxes}
      none={describeNoModels(role)}
      columns={columns(connections)}
    />
  )
}

const kindOf = ({ workspace, record }: ListedModel): string =>
  workspace ? "workspace" : (record?.connection_type ?? "")

const matchesSearch = (
  model: ListedModel,
  { query, kind, state }: ListSearchParams<"kind" | "state">,
): boolean =>
  containsWords([model.name, model.id, ...(model.workspace?.meta.tags ?? [])].join(" "), query) &&
  (!kind || kindOf(model) === kind) &&
  (!state || availabilityOf(model) === state)

/** Nothing if there are none, as an empty element would indent what follows in narrow lists. */
const capabilitiesOf = ({ record }: ListedModel) => {
  const names = capabilityNames(record)
  return (
    names.length > 0 && (
      <span className="flex gap-1">
        {names.map((name) => (
          <Badge key={name}>{name}</Badge>
        ))}
      </span>
    )
  )
}

const columns = (connections: readonly ConnectionView[] | undefined): Column<ListedModel>[] => [
  {
    id: "name",
    header: t("label.name"),
    grow: true,
    cell: ({ id, name, workspace, record }) => (
      <>
        <NameCell detail={workspace?.meta.description || (name === id ? undefined : id)}>
          <Link to="/models/view/$modelId" params={{ modelId: id }}>
            {name}
          </Link>
        </NameCell>
        {record && <EndOfLifeNote facts={record} />}
      </>
    ),
  },
  {
    id: "can",
    header: t("models.can"),
    belowName: "plain",
    cell: capabilitiesOf,
  },
  {
    id: "source",
    header: t("models.source"),
    belowName: "plain",
    cell: (model) => <span className="block max-w-52 truncate">{describeSource(model)}</span>,
  },
  {
    id: "owner",
    header: t("label.owner"),
    wideOnly: true,
    cell: ({ workspace }) =>
      workspace && <span className="block max-w-40 truncate">{modelOwner(workspace)}</span>,
  },
  {
    id: "grants",
    header: t("label.access"),
    belowName: "plain",
    cell: (model) => describeAccess(model, connections),
  },
  { id: "state", header: t("label.status"), cell: (model) => <AvailabilityStatus model={model} /> },
  { id: "on", header: "", align: "right", cell: (model) => <EnabledSwitch model={model} /> },
]

const availabilities = {
  ready: { tone: "ok", label: "label.ready" },
  away: { tone: "danger", label: "label.unavailable" },
  off: { tone: "plain", label: "label.disabled" },
} as const

export const AvailabilityStatus = ({ model }: { model: ListedModel }) => {
  const { tone, label } = availabilities[availabilityOf(model)]
  return <Status tone={tone}>{t(label)}</Status>
}

const EnabledSwitch = ({ model: { workspace } }: { model: ListedModel }) => {
  const me = useCurrentUser()
  const toggle = useMutation({
    mutationFn: (id: string) => api.post("/api/v1/models/model/toggle", { query: { id } }),
    onSettled: () => invalidateQueries([["models"]]),
  })
  if (!workspace || !mayWrite(me, workspace)) return null
  // Optimistic; the refetched list shows the actual state.
  const on = toggle.isPending ? !workspace.is_active : workspace.is_active
  return (
    <>
      <Switch
        aria-label={t("action.enableOne", { name: workspace.name })}
        checked={on}
        onValue={() => toggle.mutate(workspace.id)}
      />
      {toggle.error && <p className="text-xs text-danger">{errorText(toggle.error)}</p>}
    </>
  )
}
