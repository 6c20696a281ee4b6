import {
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query"
import { ArrowUp, ScrollText } from "lucide-react"
import type { AuditEvent } from "../../../../server/src/audit/schema.ts"
import { type MessageKey, t } from "../../i18n/translate.ts"
import { auditQuery, newestAuditQuery } from "../../lib/audit-queries.ts"
import { formatExactTime } from "../../lib/format.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Button, DownloadLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { FilterChip } from "../../ui/filter-chip.tsx"
import { NoResults } from "../../ui/no-results.tsx"
import { Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { Filter, SearchField, Toolbar } from "../../ui/toolbar.tsx"
import { actorName, targetName } from "./audit-sentence.tsx"
import { AuditTable } from "./audit-table.tsx"

type Filters = "actor" | "action" | "operation" | "target" | "outcome" | "hours"

/** Kinds of items, by the prefix of their actions. */
const kinds: readonly (readonly [string, MessageKey])[] = [
  ["user.", "label.accounts"],
  ["group.", "label.groups"],
  ["invitation.", "invitations.title"],
  ["key.", "label.apiKeys"],
  ["session.", "label.sessions"],
  ["auth.failed", "audit.refusals"],
  ["sign_on.", "audit.signOn"],
  ["identity.", "label.linkedAccounts"],
  ["chat.", "label.chats"],
  ["model.", "label.models"],
  ["function.", "label.functions"],
  ["connection.", "label.connections"],
  ["file.", "label.files"],
  ["collection.", "label.collections"],
  ["price.", "label.prices"],
  ["limit.", "label.limits"],
  ["webhook.", "audit.webhook"],
  ["prompt.", "label.prompts"],
  ["project.", "projects.title"],
  ["settings.", "label.settings"],
  ["scim.", "label.provisioning"],
  ["audit.", "label.auditLog"],
]

const operations = ["create", "update", "delete", "access"] as const

const spans = (): { value: string; label: string }[] => [
  { value: "", label: t("audit.anyTime") },
  ...[1, 24].map((count) => ({ value: String(count), label: t("audit.hours", { count }) })),
  ...[7, 30].map((count) => ({ value: String(count * 24), label: t("label.lastDays", { count }) })),
]

export const AuditPage = () => {
  const { search, change, setQuery, clear, isFiltered } = useListSearch<Filters>()
  const { query, actor, action, operation, target, outcome, hours } = search
  const filters = { query, actor, action, operation, target, outcome, hours }
  const events = useInfiniteQuery(auditQuery(filters))
  const newest = events.data?.pages[0]?.items[0]
  const file = (format: string): string => {
    const set = Object.entries({ query, actor, action, operation, target, outcome, format })
    return `/api/v1/audit/export?${new URLSearchParams(set.filter((entry): entry is [string, string] => Boolean(entry[1])))}`
  }
  return (
    <Page
      title={t("label.auditLog")}
      lead={t("audit.lead")}
      action={
        <>
          <DownloadLink href={file("ndjson")}>{t("audit.ndjson")}</DownloadLink>
          <DownloadLink href={file("csv")}>{t("audit.csv")}</DownloadLink>
        </>
      }
    >
      <Toolbar>
        <SearchField label={t("audit.search")} value={query ?? ""} onValue={setQuery} />
        <Filter
          label={t("audit.kind")}
          value={action ?? ""}
          onValue={(next) => change({ action: next })}
          options={[
            { value: "", label: t("audit.anyKind") },
            ...kinds.map(([value, label]) => ({ value, label: t(label) })),
            ...(action && !kinds.some(([value]) => value === action)
              ? [{ value: action, label: action }]
              : []),
          ]}
        />
        <Filter
          label={t("label.action")}
          value={outcome ?? operation ?? ""}
          onValue={(next) =>
            change(
              next === "failure"
                ? { outcome: next, operation: "" }
                : { outcome: "", operation: next },
            )
          }
          options={[
            { value: "", label: t("audit.anyAction") },
            ...operations.map((value) => ({ value, label: t(`audit.operation.${value}`) })),
            { value: "failure", label: t("audit.failure") },
            // Only in addresses: nobody looks for what went well.
            ...(outcome === "success" ? [{ value: outcome, label: t("audit.success") }] : []),
          ]}
        />
        <Filter
          label={t("audit.when")}
          value={hours ?? ""}
          onValue={(next) => change({ hours: next })}
          options={spans()}
        />
        {actor && (
          <FilterChip onRemove={() => change({ actor: "" })}>
            {t("audit.onlyActor", { name: newest?.actor_id === actor ? actorName(newest) : actor })}
          </FilterChip>
        )}
        {target && (
          <FilterChip onRemove={() => change({ target: "" })}>
            {t("audit.onlyTarget", {
              name: newest?.target_id === target ? targetName(newest) : target,
            })}
          </FilterChip>
        )}
      </Toolbar>
      <QueryResult query={events} rows={10}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items)
          return (
            <>
              <Newer filters={filters} shown={items[0]} />
              {items.length > 0 && <AuditTable items={items} />}
              {items.length === 0 && !events.hasNextPage && (
                <Nothing filtered={isFiltered} clear={clear} />
              )}
              <Older
                query={events}
                searchedTo={pages.at(-1)?.searched_to ?? null}
                isEmpty={items.length === 0}
              />
            </>
          )
        }}
      </QueryResult>
    </Page>
  )
}

interface NewerProps {
  filters: Record<Filters | "query", string | undefined>
  shown: AuditEvent | undefined
}

/** Offers newer events and leaves the list unchanged until clicked. */
const Newer = ({ filters, shown }: NewerProps) => {
  const client = useQueryClient()
  const { data } = useQuery(newestAuditQuery(filters))
  const newest = data?.items[0]
  const isNewer = newest && newest.id !== shown?.id && newest.at >= (shown?.at ?? 0)
  return (
    <div role="status" className="empty:hidden">
      {isNewer && (
        <Button
          icon={ArrowUp}
          onClick={() => void client.resetQueries({ queryKey: auditQuery(filters).queryKey })}
        >
          {t("audit.newer")}
        </Button>
      )}
    </div>
  )
}

const Nothing = ({ filtered, clear }: { filtered: boolean; clear: () => void }) =>
  filtered ? (
    <NoResults icon={ScrollText} clear={clear} />
  ) : (
    <EmptyState icon={ScrollText} title={t("audit.none")}>
      {t("audit.noneHelp")}
    </EmptyState>
  )

interface OlderProps {
  query: UseInfiniteQueryResult
  /** How far back the log was searched if not all of it; Unix time. */
  searchedTo: number | null
  isEmpty: boolean
}

const Older = ({ query, searchedTo, isEmpty }: OlderProps) => (
  <div className="flex flex-wrap items-center gap-3 text-sm text-muted">
    {query.hasNextPage && (
      <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {searchedTo === null ? t("audit.older") : t("audit.further")}
      </Button>
    )}
    {query.hasNextPage && searchedTo !== null && (
      <span>{t("audit.searched", { time: formatExactTime(searchedTo) })}</span>
    )}
    {!query.hasNextPage && !isEmpty && <span>{t("audit.end")}</span>}
  </div>
)
