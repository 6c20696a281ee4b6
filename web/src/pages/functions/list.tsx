import { useMutation, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { SquareFunction } from "lucide-react"
import type { FunctionListItem } from "../../../../server/src/functions/run-schema.ts"
import type { FunctionSummary } from "../../../../server/src/functions/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { containsWords, toMatchingPage } from "../../lib/list-result.ts"
import type { ListSearchParams } from "../../lib/list-search-params.ts"
import { invalidateQueries, queryClient } from "../../lib/query-client.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Status } from "../../ui/badge.tsx"
import { errorText } from "../../ui/error-note.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import { Switch } from "../../ui/switch.tsx"
import { type Column, NameCell } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { describeOffers, descriptionOf, functionKind } from "./function-descriptions.ts"
import { functionsQuery } from "./function-queries.ts"
import { FunctionImportExport } from "./import-export.tsx"
import { RunOutcome } from "./run-outcome.tsx"

export const FunctionsPage = () => {
  const list = useListSearch<"kind" | "state">()
  const functions = useQuery(functionsQuery)
  const matches = (one: FunctionListItem): boolean => matchesSearch(one, list.search)
  return (
    <ListPage
      title={t("label.functions")}
      lead={t("functions.lead")}
      list={list}
      result={toMatchingPage(functions, list.params, matches)}
      searchLabel={t("functions.search")}
      filters={[
        {
          name: "kind",
          label: t("label.type"),
          options: [
            { value: "", label: t("functions.anyKind") },
            { value: "model", label: t("label.model") },
            { value: "filter", label: t("functions.filter") },
          ],
        },
        {
          name: "state",
          label: t("label.status"),
          options: [
            { value: "", label: t("label.anyStatus") },
            { value: "on", label: t("label.enabled") },
            { value: "off", label: t("label.disabled") },
          ],
        },
      ]}
      create={{ to: "/functions/new", label: t("functions.create") }}
      actions={<FunctionImportExport />}
      icon={SquareFunction}
      none={{ title: t("functions.none"), help: t("functions.noneHelp") }}
      columns={columns()}
    />
  )
}

const matchesSearch = (
  one: FunctionListItem,
  { query, kind, state }: ListSearchParams<"kind" | "state">,
): boolean =>
  containsWords([one.name, one.id, descriptionOf(one)].join(" "), query) &&
  (!kind || functionKind(one) === kind) &&
  (!state || one.is_active === (state === "on"))

const columns = (): Column<FunctionListItem>[] => [
  {
    id: "name",
    header: t("label.name"),
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
    header: t("label.type"),
    belowName: "plain",
    cell: (one) => t(`functions.${functionKind(one)}`),
  },
  {
    id: "offers",
    header: t("label.models"),
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
    header: t("label.status"),
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
  <Status tone={on ? "ok" : "plain"}>{t(on ? "label.enabled" : "label.disabled")}</Status>
)

export const EnabledSwitch = ({ one: { id, name, is_active } }: { one: FunctionSummary }) => {
  const toggle = useMutation({
    mutationFn: () => api.post("/api/v1/functions/id/:id/toggle", { params: { id } }),
    onSettled: async () => {
      // Refetch before the page links to the chat, which would select another model if its list
      // were stale.
      await queryClient.refetchQueries({ queryKey: ["models"], type: "all" })
      await invalidateQueries([["functions"]])
    },
  })
  return (
    <>
      <Switch
        aria-label={t("action.enableOne", { name })}
        // Optimistic; the refetched list shows the actual state.
        checked={toggle.isPending ? !is_active : is_active}
        onValue={() => toggle.mutate()}
      />
      {toggle.error && <p className="text-xs text-danger">{errorText(toggle.error)}</p>}
    </>
  )
}
