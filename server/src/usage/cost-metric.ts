import type { UsageRow } from "../db/tables.ts"
import { nanoPerDollar } from "./exact-dollars.ts"
import { createFastMetric, type MetricSeries } from "./prometheus-metric.ts"
import type { UsageRecord } from "./record-queue.ts"

/** Further labels of the cost, and the columns of usage records that contain their values. */
const columnByLabel = {
  group: "group_id",
  user: "user_id",
  key: "key_id",
} as const satisfies Record<string, keyof UsageRow>
export type CostLabel = keyof typeof columnByLabel

/** One series of each user and model would be more than Prometheus can take. */
const maxSeries = 10_000

/** A counter of what requests cost, in dollars. */
export const createCostMetric = (labelNames: readonly CostLabel[]) => {
  const { metric, series, observe } = createFastMetric({
    name: "portico_cost_dollars_total",
    help: "Cost of requests in dollars, as far as prices are known",
    buckets: [],
  })
  const allNames = ["gen_ai_request_model", "gen_ai_provider_name", ...labelNames]
  const seriesByKey = new Map<string, MetricSeries>()

  const seriesOf = (record: UsageRecord, provider: string): MetricSeries => {
    const values = labelNames.map((name) => record[columnByLabel[name]] ?? "")
    const key = [record.model, provider, ...values].join("\n")
    const known = seriesByKey.get(key)
    if (known) return known
    const isFull = seriesByKey.size >= maxSeries
    const labels = [record.model, provider, ...values].map((value) => (isFull ? "other" : value))
    const created = series(Object.fromEntries(allNames.map((name, at) => [name, labels[at] ?? ""])))
    if (!isFull) seriesByKey.set(key, created)
    return created
  }

  return {
    metric,
    record: (record: UsageRecord, provider: string): void => {
      if (record.cost) observe(seriesOf(record, provider), Number(record.cost) / nanoPerDollar)
    },
  }
}
