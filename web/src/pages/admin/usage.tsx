import { useQuery } from "@tanstack/react-query"
import { Activity, Download } from "lucide-react"
import { useMemo } from "react"
import type { UsageTotal } from "../../../../server/src/usage/schema.ts"
import { type MessageKey, t } from "../../i18n/translate.ts"
import type { QueryFor } from "../../lib/api-types.ts"
import { downloadCsv } from "../../lib/csv.ts"
import { formatDuration, formatNumber } from "../../lib/format.ts"
import { usageQuery } from "../../lib/queries.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { lastDays } from "../../lib/utc-days.ts"
import { Button, ButtonLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { Page, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { Filter, Toolbar } from "../../ui/toolbar.tsx"
import { DailyUsageChart } from "./daily-usage-chart.tsx"
import { usageCsvRows } from "./usage-csv.ts"
import { UsageName } from "./usage-name.tsx"
import { UsageTotals } from "./usage-totals.tsx"

const spans = ["7", "30", "90", "365"] as const
const maxSpan = "365"
const groupings = ["model", "user", "group", "key", "connection", "day"] as const
type Grouping = (typeof groupings)[number]

const nameLabels: Record<Grouping, MessageKey> = {
  model: "usage.model",
  user: "usage.user",
  group: "usage.payingGroup",
  key: "usage.key",
  connection: "usage.connection",
  day: "usage.day",
}

/** Not about a single user. */
const adminGroupings = new Set<Grouping>(["user", "group", "connection"])

const groupLabels: Record<Grouping, MessageKey> = {
  model: "label.byModel",
  user: "usage.byUser",
  group: "usage.byGroup",
  key: "usage.byKey",
  connection: "usage.byConnection",
  day: "usage.byDay",
}

/** Usage of all users, for administrators. */
export const UsagePage = () => <Usage title={t("usage.title")} groupings={groupings} query={{}} />

/** The user's own usage. */
export const OwnUsagePage = () => {
  const { id } = useCurrentUser()
  return (
    <Usage
      title={t("usage.ownTitle")}
      groupings={groupings.filter((by) => !adminGroupings.has(by))}
      query={{ user_id: id }}
    />
  )
}

interface UsageProps {
  title: string
  groupings: readonly Grouping[]
  query: QueryFor<"/api/v1/usage">
}

const Usage = ({ title, groupings, query }: UsageProps) => {
  const { search, change } = useListSearch<"days" | "by">()
  const span = spans.find((one) => one === search.days) ?? "30"
  const by = groupings.find((one) => one === search.by) ?? "model"
  const { from, to } = useMemo(() => lastDays(Number(span)), [span])
  const days = useQuery(usageQuery({ ...query, from, to, group_by: "day" }))
  const sums = useQuery(usageQuery({ ...query, from, to, group_by: by }))

  return (
    <Page
      title={title}
      lead={t("usage.lead")}
      action={
        <Button
          icon={Download}
          disabled={!sums.data || sums.data.items.length === 0}
          onClick={() =>
            sums.data && downloadCsv(`usage-by-${by}.csv`, usageCsvRows(by, sums.data))
          }
        >
          {t("usage.csv")}
        </Button>
      }
    >
      <Toolbar>
        <Filter
          label={t("usage.range")}
          value={span}
          onValue={(value) => change({ days: value })}
          options={spans.map((value) => ({
            value,
            label: t("label.lastDays", { count: Number(value) }),
          }))}
        />
        <Filter
          label={t("usage.group")}
          value={by}
          onValue={(value) => change({ by: value })}
          options={groupings.map((value) => ({ value, label: t(groupLabels[value]) }))}
        />
      </Toolbar>
      <QueryResult query={days} rows={6}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState
              icon={Activity}
              title={t("usage.none")}
              action={
                span === maxSpan ? (
                  <ButtonLink to="/">{t("chat.new")}</ButtonLink>
                ) : (
                  <Button onClick={() => change({ days: maxSpan })}>
                    {t("usage.widen", { count: Number(maxSpan) })}
                  </Button>
                )
              }
            >
              {t("usage.noneHelp")}
            </EmptyState>
          ) : (
            <>
              <UsageTotals items={items} />
              <DailyUsageChart items={items} from={from} to={to} />
            </>
          )
        }
      </QueryResult>
      {(days.data?.items.length ?? 0) > 0 && (
        <Section title={t(groupLabels[by])}>
          <QueryResult query={sums} rows={4}>
            {({ items }) => <Sums by={by} items={items} />}
          </QueryResult>
        </Section>
      )}
    </Page>
  )
}

const countColumn = (
  id: "requests" | "tokens_in" | "tokens_out",
  header: string,
): Column<UsageTotal> => ({
  id,
  header,
  align: "right",
  cell: (item) => formatNumber(item[id]),
})

const Sums = ({ by, items }: { by: Grouping; items: readonly UsageTotal[] }) => {
  const sorted =
    by === "day" ? [...items].reverse() : items.toSorted((a, b) => b.requests - a.requests)
  const max = Math.max(1, ...items.map(({ requests }) => requests))
  return (
    <Table
      label={t(groupLabels[by])}
      items={sorted}
      idOf={({ key }) => key ?? ""}
      columns={[
        {
          id: "key",
          header: t(nameLabels[by]),
          grow: true,
          cell: (item) => (
            <div className="flex flex-col gap-1">
              <UsageName by={by} item={item} />
              <div
                aria-hidden
                className="h-1 rounded-full bg-accent"
                style={{ width: `${Math.max(1, (item.requests / max) * 100)}%` }}
              />
            </div>
          ),
        },
        countColumn("requests", t("usage.requests")),
        {
          id: "errors",
          header: t("usage.errors"),
          align: "right",
          wideOnly: true,
          cell: ({ errors }) => (
            <span className={errors > 0 ? "text-danger" : ""}>{formatNumber(errors)}</span>
          ),
        },
        { ...countColumn("tokens_in", t("usage.tokensIn")), wideOnly: true },
        countColumn("tokens_out", t("usage.tokensOut")),
        {
          id: "duration",
          header: t("usage.duration"),
          align: "right",
          wideOnly: true,
          cell: ({ duration_ms }) => formatDuration(Math.round(duration_ms)),
        },
      ]}
    />
  )
}
