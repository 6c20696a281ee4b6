import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Boxes, Plus, Server } from "lucide-react"
import type { Connection } from "../../../../server/src/connections/schema.ts"
import type { ModelRecord, ModelSummary } from "../../../../server/src/models/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { connectionsQuery, modelsQuery, workspaceModelsQuery } from "../../lib/queries.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Badge, Status } from "../../ui/badge.tsx"
import { ButtonLink } from "../../ui/button.tsx"
import { errorText } from "../../ui/error-note.tsx"
import { NoResults } from "../../ui/no-results.tsx"
import { Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { Switch } from "../../ui/switch.tsx"
import { type Column, NameCell, Table } from "../../ui/table.tsx"
import { Filter, Pager, SearchField, Toolbar } from "../../ui/toolbar.tsx"
import { ImportExportMenu } from "./import-export-menu.tsx"
import {
  availabilityOf,
  capabilityNames,
  describeAccess,
  describeSource,
  type ListedModel,
  mayChange,
  mergeModels,
  modelOwner,
} from "./model-descriptions.ts"
import { NoModels } from "./no-models.tsx"

const pageSize = 30

/** Connections, for administrators only; others may not see their grants. */
export const useConnections = (): readonly Connection[] | undefined => {
  const { role } = useCurrentUser()
  return useQuery({ ...connectionsQuery, enabled: role === "admin" }).data
}

const CreateModel = () => (
  <ButtonLink to="/models/new" variant="primary" icon={Plus}>
    {t("models.create")}
  </ButtonLink>
)

export const ModelsPage = () => {
  const me = useCurrentUser()
  const { search, change, setQuery, toPage, clear } = useListSearch<"kind" | "state">()
  const models = useQuery({ ...modelsQuery, refetchInterval: 10_000 })
  const workspace = useQuery(workspaceModelsQuery)
  return (
    <Page
      title={t("models.title")}
      lead={t("models.lead")}
      action={
        <>
          {me.role === "admin" && (
            <>
              <ImportExportMenu />
              <ButtonLink to="/models/runtime" icon={Server}>
                {t("runtime.title")}
              </ButtonLink>
            </>
          )}
          <CreateModel />
        </>
      }
    >
      <Toolbar>
        <SearchField label={t("models.search")} value={search.query ?? ""} onValue={setQuery} />
        <Filter
          label={t("models.source")}
          value={search.kind ?? ""}
          onValue={(kind) => change({ kind })}
          options={[
            { value: "", label: t("models.anySource") },
            { value: "workspace", label: t("models.workspace") },
            { value: "local", label: t("models.local") },
            { value: "external", label: t("models.external") },
            { value: "function", label: t("models.function") },
          ]}
        />
        <Filter
          label={t("models.state")}
          value={search.state ?? ""}
          onValue={(state) => change({ state })}
          options={[
            { value: "", label: t("models.anyState") },
            { value: "ready", label: t("models.ready") },
            { value: "away", label: t("models.away") },
            { value: "off", label: t("models.off") },
          ]}
        />
      </Toolbar>
      <QueryResult query={models} rows={8}>
        {(records) => (
          <QueryResult query={workspace} rows={8}>
            {(own) => (
              <Listing records={records} own={own} search={search} toPage={toPage} clear={clear} />
            )}
          </QueryResult>
        )}
      </QueryResult>
    </Page>
  )
}

interface Search {
  page?: number | undefined
  query?: string | undefined
  kind?: string | undefined
  state?: string | undefined
}

const kindOf = ({ workspace, record }: ListedModel): string =>
  workspace ? "workspace" : (record?.connection_type ?? "")

const matchesSearch = (model: ListedModel, { query = "", kind, state }: Search): boolean => {
  const tags = model.workspace?.meta.tags ?? []
  const text = [model.name, model.id, ...tags].join(" ").toLowerCase()
  const words = query.toLowerCase().split(/\s+/)
  return (
    words.every((word) => text.includes(word)) &&
    (!kind || kindOf(model) === kind) &&
    (!state || availabilityOf(model) === state)
  )
}

interface ListingProps {
  records: readonly ModelRecord[]
  own: readonly ModelSummary[]
  search: Search
  toPage: (page: number) => void
  clear: () => void
}

const Listing = ({ records, own, search, toPage, clear }: ListingProps) => {
  const connections = useConnections()
  const all = mergeModels(records, own)
  if (all.length === 0) return <NoModels />
  const items = all.filter((model) => matchesSearch(model, search))
  if (items.length === 0) {
    return <NoResults icon={Boxes} clear={clear} />
  }
  // Deleting models may leave the current page beyond the last one.
  const page = Math.min(search.page ?? 1, Math.ceil(items.length / pageSize))
  return (
    <>
      <Table
        label={t("models.title")}
        items={items.slice((page - 1) * pageSize, page * pageSize)}
        idOf={({ id }) => id}
        columns={columns(connections)}
      />
      <Pager page={page} pageSize={pageSize} total={items.length} onPage={toPage} />
    </>
  )
}

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

const columns = (connections: readonly Connection[] | undefined): Column<ListedModel>[] => [
  {
    id: "name",
    header: t("models.name"),
    grow: true,
    cell: ({ id, name, workspace }) => (
      <NameCell detail={workspace?.meta.description || (name === id ? undefined : id)}>
        <Link to="/models/view/$modelId" params={{ modelId: id }}>
          {name}
        </Link>
      </NameCell>
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
    header: t("owner.title"),
    wideOnly: true,
    cell: ({ workspace }) =>
      workspace && <span className="block max-w-40 truncate">{modelOwner(workspace)}</span>,
  },
  {
    id: "grants",
    header: t("models.grants"),
    belowName: "plain",
    cell: (model) => describeAccess(model, connections),
  },
  { id: "state", header: t("models.state"), cell: (model) => <AvailabilityStatus model={model} /> },
  { id: "on", header: "", align: "right", cell: (model) => <EnabledSwitch model={model} /> },
]

export const AvailabilityStatus = ({ model }: { model: ListedModel }) => {
  const availability = availabilityOf(model)
  const tone = { ready: "ok", away: "danger", off: "plain" } as const
  return <Status tone={tone[availability]}>{t(`models.${availability}`)}</Status>
}

const EnabledSwitch = ({ model: { workspace } }: { model: ListedModel }) => {
  const me = useCurrentUser()
  const client = useQueryClient()
  const toggle = useMutation({
    mutationFn: (id: string) => api.post("/api/v1/models/model/toggle", { query: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: ["models"] }),
  })
  if (!workspace || !mayChange(me, workspace)) return null
  // Optimistic; the refetched list shows the actual state.
  const on = toggle.isPending ? !workspace.is_active : workspace.is_active
  return (
    <>
      <Switch
        aria-label={t("models.onOff", { name: workspace.name })}
        checked={on}
        onValue={() => toggle.mutate(workspace.id)}
      />
      {toggle.error && <p className="text-xs text-danger">{errorText(toggle.error)}</p>}
    </>
  )
}
