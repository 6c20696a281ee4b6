import type { UsageSeries } from "./usage-series.ts"

const colors = [
  "bg-series-1",
  "bg-series-2",
  "bg-series-3",
  "bg-series-4",
  "bg-series-5",
  "bg-series-6",
  "bg-series-7",
] as const

/** How many series have a color of their own; all others together are gray. */
export const maxColoredSeries = colors.length

/** The class for the color of a series, by its position. */
export const seriesColor = ({ item }: UsageSeries, index: number): string =>
  (item.is_rest ? undefined : colors[index]) ?? "bg-series-rest"
