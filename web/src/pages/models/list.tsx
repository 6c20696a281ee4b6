import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Boxes, Plus, Server } from "lucide-react"
import type { Connection } from "../../../../server/src/connections/schema.ts"
import type {
  ModelRecord,
  ModelSummary,
  WorkspaceModel,
} from "../../../../server/src/models/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { connectionsQuery, modelsQuery, workspaceModelsQuery } from "../../lib/queries.ts"
import { useMe } from "../../lib/session.ts"
import { useListSearch } from "../../lib/use-list.ts"
import { Badge, Status } from "../../ui/badge.tsx"
import { ButtonLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { inWords } from "../../ui/error-note.tsx"
import { Loaded } from "../../ui/loaded.tsx"
import { NothingFound } from "../../ui/nothing-found.tsx"
import { Page } from "../../ui/page.tsx"
import { Switch } from "../../ui/switch.tsx"
import { type Column, NameCell, Table } from "../../ui/table.tsx"
import { Filter, Pager, SearchField, Toolbar } from "../../ui/toolbar.tsx"
import {
  abilities,
  availabilityOf,
  type ListedModel,
  mayChange,
  merged,
  sharedWith,
  sourceOf,
} from "./describe.ts"
import { Transfer } from "./transfer.tsx"

const pageSize = 30

/** Connections, for administrators only; others may not see their grants. */
export const useConnections = (): readonly Connection[] | undefined => {
  const { role } = useMe()
  return useQuery({ ...connectionsQuery, enabled: role === "admin" }).data
}

const CreateModel = () => (
  <ButtonLink to="/models/new" look="primary" icon={Plus}>
    {t("models.create")}
  </ButtonLink>
)

export const ModelsPage = () => {
  const me = useMe()
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
              <Transfer />
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
      <Loaded query={models} rows={8}>
        {(records) => (
          <Loaded query={workspace} rows={8}>
            {(own) => (
              <Listing records={records} own={own} search={search} toPage={toPage} clear={clear} />
            )}
          </Loaded>
        )}
      </Loaded>
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

const fits = (model: ListedModel, { query = "", kind, state }: Search): boolean => {
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
  const all = merged(records, own)
  if (all.length === 0) return <NoModels />
  const items = all.filter((model) => fits(model, search))
  if (items.length === 0) {
    return <NothingFound icon={Boxes} clear={clear} />
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

const NoModels = () => {
  const { role } = useMe()
  return role === "admin" ? (
    <EmptyState
      icon={Boxes}
      title={t("models.none")}
      action={
        <ButtonLink to="/connect" look="primary">
          {t("source.title")}
        </ButtonLink>
      }
    >
      {t("models.noneAdmin")}
    </EmptyState>
  ) : (
    <EmptyState icon={Boxes} title={t("models.none")}>
      {t("models.noneUser")}
    </EmptyState>
  )
}

const columns = (connections: readonly Connection[] | undefined): Column<ListedModel>[] => [
  {
    id: "name",
    header: t("models.name"),
    grow: true,
    cell: ({ id, name, workspace }) => (
      <NameCell note={workspace?.meta.description || (name === id ? undefined : id)}>
        <Link to="/models/view/$modelId" params={{ modelId: id }}>
          {name}
        </Link>
      </NameCell>
    ),
  },
  {
    id: "can",
    header: t("models.can"),
    wideOnly: true,
    cell: ({ record }) => (
      <span className="flex gap-1">
        {abilities(record).map((word) => (
          <Badge key={word}>{word}</Badge>
        ))}
      </span>
    ),
  },
  {
    id: "source",
    header: t("models.source"),
    wideOnly: true,
    cell: (model) => <span className="block max-w-52 truncate">{sourceOf(model)}</span>,
  },
  {
    id: "grants",
    header: t("models.grants"),
    wideOnly: true,
    cell: (model) => sharedWith(model, connections),
  },
  { id: "state", header: t("models.state"), cell: (model) => <State model={model} /> },
  { id: "on", header: "", align: "right", cell: (model) => <OnOff model={model} /> },
]

export const State = ({ model }: { model: ListedModel }) => {
  const availability = availabilityOf(model)
  const tone = { ready: "ok", away: "danger", off: "plain" } as const
  return <Status tone={tone[availability]}>{t(`models.${availability}`)}</Status>
}

const OnOff = ({ model: { workspace } }: { model: ListedModel }) => {
  const me = useMe()
  const client = useQueryClient()
  const toggle = useMutation({
    mutationFn: (id: string) =>
      api.post<WorkspaceModel>("/api/v1/models/model/toggle", undefined, { query: { id } }),
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
      {toggle.error && <p className="text-xs text-danger">{inWords(toggle.error)}</p>}
    </>
  )
}
