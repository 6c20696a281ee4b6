import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Plus, SquareFunction } from "lucide-react"
import type { FunctionListItem } from "../../../../server/src/functions/run-schema.ts"
import type { FunctionSummary } from "../../../../server/src/functions/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Status } from "../../ui/badge.tsx"
import { ButtonLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { errorText } from "../../ui/error-note.tsx"
import { NoResults } from "../../ui/no-results.tsx"
import { Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { Switch } from "../../ui/switch.tsx"
import { type Column, NameCell, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { Filter, SearchField, Toolbar } from "../../ui/toolbar.tsx"
import { describeOffers, descriptionOf, functionKind, functionsQuery } from "./functions-api.ts"
import { ImportExportMenu } from "./import-export-menu.tsx"
import { RunOutcome } from "./run-outcome.tsx"

const CreateFunction = () => (
  <ButtonLink to="/functions/new" variant="primary" icon={Plus}>
    {t("functions.create")}
  </ButtonLink>
)

export const FunctionsPage = () => {
  const { search, change, setQuery, clear } = useListSearch<"kind" | "state">()
  const functions = useQuery(functionsQuery)
  return (
    <Page
      title={t("functions.title")}
      lead={t("functions.lead")}
      action={
        <>
          <ImportExportMenu />
          <CreateFunction />
        </>
      }
    >
      <Toolbar>
        <SearchField label={t("functions.search")} value={search.query ?? ""} onValue={setQuery} />
        <Filter
          label={t("functions.kind")}
          value={search.kind ?? ""}
          onValue={(kind) => change({ kind })}
          options={[
            { value: "", label: t("functions.anyKind") },
            { value: "model", label: t("functions.model") },
            { value: "filter", label: t("functions.filter") },
          ]}
        />
        <Filter
          label={t("functions.state")}
          value={search.state ?? ""}
          onValue={(state) => change({ state })}
          options={[
            { value: "", label: t("models.anyState") },
            { value: "on", label: t("functions.on") },
            { value: "off", label: t("functions.off") },
          ]}
        />
      </Toolbar>
      <QueryResult query={functions} rows={6}>
        {(all) => <Listing all={all} search={search} clear={clear} />}
      </QueryResult>
    </Page>
  )
}

interface Search {
  query?: string | undefined
  kind?: string | undefined
  state?: string | undefined
}

const matchesSearch = (one: FunctionListItem, { query = "", kind, state }: Search): boolean => {
  const text = [one.name, one.id, descriptionOf(one)].join(" ").toLowerCase()
  return (
    query
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word)) &&
    (!kind || functionKind(one) === kind) &&
    (!state || one.is_active === (state === "on"))
  )
}

interface ListingProps {
  all: readonly FunctionListItem[]
  search: Search
  clear: () => void
}

const Listing = ({ all, search, clear }: ListingProps) => {
  if (all.length === 0) {
    return (
      <EmptyState icon={SquareFunction} title={t("functions.none")} action={<CreateFunction />}>
        {t("functions.noneHelp")}
      </EmptyState>
    )
  }
  const items = all.filter((one) => matchesSearch(one, search))
  if (items.length === 0) {
    return <NoResults icon={SquareFunction} clear={clear} />
  }
  return (
    <Table label={t("functions.title")} items={items} idOf={({ id }) => id} columns={columns()} />
  )
}

const columns = (): Column<FunctionListItem>[] => [
  {
    id: "name",
    header: t("functions.name"),
    grow: true,
    cell: (one) => (
      <NameCell detail={descriptionOf(one) || (one.name === one.id ? undefined : one.id)}>
        <Link to="/functions/$functionId" params={{ functionId: one.id }}>
          {one.name}
        </Link>
      </NameCell>
    ),
  },
  {
    id: "kind",
    header: t("functions.kind"),
    belowName: "plain",
    cell: (one) => t(`functions.${functionKind(one)}`),
  },
  {
    id: "offers",
    header: t("functions.offers"),
    belowName: "plain",
    cell: (one) => (
      <span title={describeOffers(one)} className="block max-w-52 truncate">
        {describeOffers(one)}
      </span>
    ),
  },
  {
    id: "last_run",
    header: t("functions.lastRun"),
    wideOnly: true,
    cell: ({ last_run }) => last_run && <LastRun {...last_run} />,
  },
  {
    id: "state",
    header: t("functions.state"),
    cell: ({ is_active }) => <EnabledStatus on={is_active} />,
  },
  { id: "on", header: "", align: "right", cell: (one) => <EnabledSwitch one={one} /> },
]

const LastRun = ({ outcome, created_at }: NonNullable<FunctionListItem["last_run"]>) => (
  <span className="flex items-center gap-2 whitespace-nowrap">
    <RunOutcome result={outcome} />
    <span className="text-xs text-muted">
      <Time at={created_at} inSentence />
    </span>
  </span>
)

export const EnabledStatus = ({ on }: { on: boolean }) => (
  <Status tone={on ? "ok" : "plain"}>{t(on ? "functions.on" : "functions.off")}</Status>
)

export const EnabledSwitch = ({ one: { id, name, is_active } }: { one: FunctionSummary }) => {
  const client = useQueryClient()
  const toggle = useMutation({
    mutationFn: () => api.post("/api/v1/functions/id/:id/toggle", { params: { id } }),
    onSettled: async () => {
      // Refetch before the page links to the chat, which would select another model if its list
      // were stale.
      await client.refetchQueries({ queryKey: ["models"], type: "all" })
      await client.invalidateQueries({ queryKey: ["functions"] })
    },
  })
  return (
    <>
      <Switch
        aria-label={t("functions.onOff", { name })}
        // Optimistic; the refetched list shows the actual state.
        checked={toggle.isPending ? !is_active : is_active}
        onValue={() => toggle.mutate()}
      />
      {toggle.error && <p className="text-xs text-danger">{errorText(toggle.error)}</p>}
    </>
  )
}
