import { useQuery } from "@tanstack/react-query"
import { Activity } from "lucide-react"
import { useMemo } from "react"
import type { UsageReport } from "../../../../server/src/usage/schema.ts"
import { t } from "../../i18n/translate.ts"
import { usageQuery } from "../../lib/queries.ts"
import { useCurrentUser, usePageSession } from "../../lib/session.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Button, ButtonLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { Page, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { Filter, Toolbar } from "../../ui/toolbar.tsx"
import { LazyOwnLimits } from "../limits/lazy-limit-panel.tsx"
import { RangeFilter } from "./range-filter.tsx"
import { UnpricedNote } from "./unpriced-note.tsx"
import { UsageBreakdown } from "./usage-breakdown.tsx"
import { AccountingExport, DownloadUsage } from "./usage-downloads.tsx"
import { UsageFilters } from "./usage-filters.tsx"
import {
  adminGroupings,
  filtersOf,
  type Grouping,
  groupingLabels,
  ownGroupings,
} from "./usage-grouping.ts"
import { type Measure, measures, sumUsage } from "./usage-measures.ts"
import type { UsageParam } from "./usage-params.ts"
import { parseUsageRange } from "./usage-range.ts"
import { UsageTotals } from "./usage-totals.tsx"

/** Usage of all users, for administrators. */
export const UsagePage = () => (
  <Usage title={t("usage.title")} groupings={adminGroupings} measures={measures} />
)

/** The user's own usage. */
export const OwnUsagePage = () => {
  const { id } = useCurrentUser()
  const { show_cost } = usePageSession()
  return (
    <Usage
      title={t("usage.ownTitle")}
      groupings={ownGroupings}
      measures={show_cost ? measures : measures.filter((measure) => measure !== "cost")}
      userId={id}
    />
  )
}

interface UsageProps {
  title: string
  groupings: readonly Grouping[]
  measures: readonly Measure[]
  /** Whose usage; by default, all users'. */
  userId?: string
}

const maxPreset = "365"

/** What the page's address asks for. */
const useUsageSearch = ({ groupings, measures: shown, userId }: UsageProps) => {
  const { search, change } = useListSearch<UsageParam>()
  const { range: preset, from, to } = search
  const range = useMemo(() => parseUsageRange({ range: preset, from, to }), [preset, from, to])
  const filters = filtersOf(search)
  return {
    change,
    range,
    filters,
    by: groupings.find((one) => one === search.by) ?? "model",
    chosenMeasure: shown.find((one) => one === search.measure),
    query: { ...filters, ...(userId && { user_id: userId }), from: range.from, to: range.to },
  }
}

const Usage = (props: UsageProps) => {
  const { title, groupings, userId } = props
  const { change, range, filters, by, chosenMeasure, query } = useUsageSearch(props)
  const isAdminPage = userId === undefined
  const hasCost = props.measures.includes("cost")
  const totals = useQuery(usageQuery({ ...query, group_by: "none" }))
  const csvGrouping = by === "none" ? range.interval : by
  return (
    <Page
      title={title}
      lead={t("usage.lead")}
      action={
        <DownloadUsage
          by={csvGrouping}
          query={{ ...query, group_by: csvGrouping }}
          disabled={!hasUsage(totals.data)}
        />
      }
    >
      <Toolbar>
        <RangeFilter range={range} onRange={(next) => change({ ...next })} />
        <Filter
          label={t("usage.group")}
          value={by}
          onValue={(value) => change({ by: value })}
          options={groupings.map((value) => ({ value, label: t(groupingLabels[value]) }))}
        />
        <UsageFilters filters={filters} onRemove={(name) => change({ [name]: undefined })} />
      </Toolbar>
      <QueryResult query={totals} rows={8}>
        {(report) => {
          if (!hasUsage(report)) {
            return (
              <NoUsage
                isMaxRange={range.preset === maxPreset}
                widen={() => change({ range: maxPreset, from: undefined, to: undefined })}
              />
            )
          }
          const sums = sumUsage(report.items)
          const measure: Measure = chosenMeasure ?? (hasCost && sums.cost > 0 ? "cost" : "requests")
          return (
            <>
              <UsageTotals
                totals={sums}
                measures={props.measures}
                measure={measure}
                onMeasure={(value) => change({ measure: value })}
              />
              {hasCost && <UnpricedNote count={sums.unpriced} />}
              <UsageBreakdown
                {...{ by, groupings, measure, range, query, change }}
                measures={props.measures}
              />
            </>
          )
        }}
      </QueryResult>
      {!isAdminPage && <LazyOwnLimits />}
      {isAdminPage && (
        <Section title={t("usage.accounting")} lead={t("usage.accountingLead")}>
          <AccountingExport />
        </Section>
      )}
    </Page>
  )
}

const hasUsage = (report: UsageReport | undefined): boolean =>
  report?.items.some(({ requests }) => requests > 0) ?? false

const NoUsage = ({ isMaxRange, widen }: { isMaxRange: boolean; widen: () => void }) => (
  <EmptyState
    icon={Activity}
    title={t("usage.none")}
    action={
      isMaxRange ? (
        <ButtonLink to="/">{t("chat.new")}</ButtonLink>
      ) : (
        <Button onClick={widen}>{t("usage.widen", { count: Number(maxPreset) })}</Button>
      )
    }
  >
    {t("usage.noneHelp")}
  </EmptyState>
)
