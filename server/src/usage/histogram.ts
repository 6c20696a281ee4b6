import type { Metric } from "prom-client"

type Labels = Record<string, string>

export interface Series {
  labels: Labels
  /** Observations per bucket; the last counts those above all bounds. */
  counts: number[]
  sum: number
}

interface Shape {
  name: string
  help: string
  /** Upper bounds, ascending; empty for a counter. */
  buckets: readonly number[]
}

/** Prometheus buckets are cumulative. */
const histogramValues = (name: string, buckets: readonly number[], series: Series) => {
  let below = 0
  const bounds = [...buckets.map(String), "+Inf"]
  const counted = bounds.map((le, index) => {
    below += series.counts[index] ?? 0
    return { metricName: `${name}_bucket`, labels: { ...series.labels, le }, value: below }
  })
  return [
    ...counted,
    { metricName: `${name}_sum`, labels: series.labels, value: series.sum },
    { metricName: `${name}_count`, labels: series.labels, value: below },
  ]
}

/**
 * A histogram or counter for the hot path: callers keep their series, and the Prometheus format is
 * built only when scraped. prom-client hashes all labels on each observation, which cost more than
 * all other usage recording of a request.
 */
export const createTally = ({ name, help, buckets }: Shape) => {
  const seriesByKey = new Map<string, Series>()
  const isCounter = buckets.length === 0

  const values = () =>
    [...seriesByKey.values()].flatMap((series) =>
      isCounter
        ? [{ labels: series.labels, value: series.sum }]
        : histogramValues(name, buckets, series),
    )

  return {
    /** The series of these labels; frequent observers should keep it. */
    series: (labels: Labels): Series => {
      const key = JSON.stringify(labels)
      const known = seriesByKey.get(key)
      if (known) return known
      const made = { labels, counts: Array(buckets.length + 1).fill(0), sum: 0 }
      seriesByKey.set(key, made)
      return made
    },

    observe: (series: Series, value: number): void => {
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
