import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { fieldByDimension, type UsageDimension } from "../../../../server/src/usage/dimensions.ts"
import type { UsageReport, UsageTotal } from "../../../../server/src/usage/schema.ts"
import { t } from "../../i18n/translate.ts"
import type { QueryFor } from "../../lib/api-types.ts"
import { usageQuery } from "../../lib/queries.ts"
import { Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { formatInterval } from "./format-interval.ts"
import { maxColoredSeries } from "./series-color.ts"
import { UsageChart } from "./usage-chart.tsx"
import { dimensionLabels, type Grouping, groupingLabels, nextGrouping } from "./usage-grouping.ts"
import { type Measure, rankByMeasure } from "./usage-measures.ts"
import { UsageName, useUsageNames } from "./usage-name.tsx"
import { intervalStarts, type UsageRange } from "./usage-range.ts"
import { toUsageSeries, usageRowId } from "./usage-series.ts"
import { sortUsage, UsageTable } from "./usage-table.tsx"

interface UsageBreakdownProps {
  by: Grouping
  groupings: readonly Grouping[]
  measures: readonly Measure[]
  measure: Measure
  range: UsageRange
  query: QueryFor<"/api/v1/usage">
  /** Changes parameters of the page's address. */
  change: (changes: Record<string, string | undefined>) => void
}

/** A chart of usage over time, and a table of the same figures. */
export const UsageBreakdown = ({ by, ...props }: UsageBreakdownProps) =>
  by === "none" ? <OverTime {...props} /> : <ByDimension {...props} by={by} />

const useSeries = (
  report: UsageReport | undefined,
  { from, to, interval }: UsageRange,
  measure: Measure,
) => {
  const starts = useMemo(() => intervalStarts({ from, to, interval }), [from, to, interval])
  const series = useMemo(
    () => toUsageSeries(report?.items ?? [], starts, measure),
    [report, starts, measure],
  )
  return { starts, series }
}

const maxRows = 50

const ByDimension = (props: UsageBreakdownProps & { by: UsageDimension }) => {
  const { by, groupings, measures, measure, range, query, change } = props
  const ranked = { ...query, group_by: by, rank_by: rankByMeasure[measure] }
  const chart = useQuery(usageQuery({ ...ranked, interval: range.interval, top: maxColoredSeries }))
  const table = useQuery(usageQuery({ ...ranked, top: maxRows }))
  const nameOf = useUsageNames(by)
  const data = useSeries(chart.data, range, measure)
  const openOnly = ({ item: { key, is_rest } }: { item: UsageTotal }) => {
    if (!key || is_rest) return undefined
    return () => change({ [fieldByDimension[by]]: key, by: nextGrouping(by, groupings) })
  }
  return (
    <>
      <QueryResult query={chart} rows={7}>
        {() => (
          <UsageChart
            {...data}
            measure={measure}
            interval={range.interval}
            nameOf={nameOf}
            onOpen={openOnly}
          />
        )}
      </QueryResult>
      <Section title={t(groupingLabels[by])}>
        <QueryResult query={table} rows={4}>
          {({ items }) => (
            <UsageTable
              label={t(groupingLabels[by])}
              items={sortUsage(items, measure)}
              measures={measures}
              measure={measure}
              idOf={usageRowId}
              nameColumn={{
                header: t(dimensionLabels[by]),
                cell: (item) => <UsageName by={by} item={item} name={nameOf(item)} />,
              }}
            />
          )}
        </QueryResult>
      </Section>
    </>
  )
}

const intervalNames = { hour: "usage.hour", day: "usage.day", month: "usage.month" } as const

const OverTime = ({ measures, measure, range, query }: Omit<UsageBreakdownProps, "by">) => {
  const { interval } = range
  const report = useQuery(usageQuery({ ...query, group_by: "none", interval }))
  const data = useSeries(report.data, range, measure)
  return (
    <QueryResult query={report} rows={7}>
      {({ items }) => (
        <>
          <UsageChart {...data} measure={measure} interval={interval} />
          <Section title={t("usage.overTime")}>
            <UsageTable
              label={t("usage.overTime")}
              items={items.toSorted((a, b) => (b.start ?? 0) - (a.start ?? 0))}
              measures={measures}
              measure={measure}
              idOf={({ start }) => String(start)}
              nameColumn={{
                header: t(intervalNames[interval]),
                cell: ({ start }) => <span>{formatInterval(start ?? 0, interval)}</span>,
              }}
            />
          </Section>
        </>
      )}
    </QueryResult>
  )
}
