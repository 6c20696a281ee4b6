import type { Metric } from "prom-client"

type MetricLabels = Record<string, string>

export interface MetricSeries {
  labels: MetricLabels
  /** Observations per bucket; the last counts those above all bounds. */
  counts: number[]
  sum: number
}

interface MetricOptions {
  name: string
  help: string
  /** Upper bounds, ascending; empty for a counter. */
  buckets: readonly number[]
}

/** Prometheus buckets are cumulative. */
const histogramValues = (name: string, buckets: readonly number[], series: MetricSeries) => {
  let cumulative = 0
  const bounds = [...buckets.map(String), "+Inf"]
  const counted = bounds.map((le, index) => {
    cumulative += series.counts[index] ?? 0
    return { metricName: `${name}_bucket`, labels: { ...series.labels, le }, value: cumulative }
  })
  return [
    ...counted,
    { metricName: `${name}_sum`, labels: series.labels, value: series.sum },
    { metricName: `${name}_count`, labels: series.labels, value: cumulative },
  ]
}

/**
 * A histogram or counter for the hot path: callers keep their series, and the Prometheus format is
 * built only when scraped. prom-client hashes all labels on each observation, which cost more than
 * all other usage recording of a request.
 */
export const createFastMetric = ({ name, help, buckets }: MetricOptions) => {
  const seriesByKey = new Map<string, MetricSeries>()
  const isCounter = buckets.length === 0

  const values = () =>
    [...seriesByKey.values()].flatMap((series) =>
      isCounter
        ? [{ labels: series.labels, value: series.sum }]
        : histogramValues(name, buckets, series),
    )

  return {
    /** The series of these labels; frequent observers should keep it. */
    series: (labels: MetricLabels): MetricSeries => {
      const key = JSON.stringify(labels)
      const known = seriesByKey.get(key)
      if (known) return known
      const created = { labels, counts: Array(buckets.length + 1).fill(0), sum: 0 }
      seriesByKey.set(key, created)
      return created
    },

    observe: (series: MetricSeries, value: number): void => {
      series.sum += value
      if (isCounter) return
      let at = 0
      while (at < buckets.length && value > (buckets[at] ?? 0)) at++
      series.counts[at] = (series.counts[at] ?? 0) + 1
    },

    /** For prom-client's registry, which calls `get` on a scrape. */
    metric: {
      name,
      get: async () => ({
        name,
        help,
        type: isCounter ? "counter" : "histogram",
        aggregator: "sum",
        values: values(),
      }),
      reset: () => seriesByKey.clear(),
    } as unknown as Metric,
  }
}
