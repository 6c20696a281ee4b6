import { useMemo, useState } from "react"
import type { UsageTotal } from "../../../../server/src/usage/schema.ts"
import { UsageChart } from "./usage-chart.tsx"
import { type Measure, measures, sumUsage } from "./usage-measures.ts"
import { intervalStarts } from "./usage-range.ts"
import { toUsageSeries } from "./usage-series.ts"
import { UsageTotals } from "./usage-totals.tsx"

interface UsageSummaryProps {
  /** The totals of each day. */
  items: readonly UsageTotal[]
  from: number
  to: number
}

/** The totals of a few days, with a chart of one of them. */
export const UsageSummary = ({ items, from, to }: UsageSummaryProps) => {
  const totals = sumUsage(items)
  const [chosen, setMeasure] = useState<Measure | null>(null)
  const measure = chosen ?? (totals.cost > 0 ? "cost" : "requests")
  const starts = useMemo(() => intervalStarts({ from, to, interval: "day" }), [from, to])
  const series = useMemo(() => toUsageSeries(items, starts, measure), [items, starts, measure])
  return (
    <>
      <UsageTotals {...{ totals, measures, measure }} onMeasure={setMeasure} />
      <UsageChart {...{ measure, starts, series }} interval="day" />
    </>
  )
}
