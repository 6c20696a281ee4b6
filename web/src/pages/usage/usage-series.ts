import type { UsageTotal } from "../../../../server/src/usage/schema.ts"
import type { Measure } from "./usage-measures.ts"

/** The usage of one model, user and so on over time. */
export interface UsageSeries {
  id: string
  /** The totals of one interval, for the name. */
  item: UsageTotal
  /** One value for each interval. */
  values: readonly number[]
  total: number
}

/** Identifies a row: all others than those listed, those without a model, user and so on, or one. */
export const usageRowId = ({ key, is_rest }: Pick<UsageTotal, "key" | "is_rest">): string => {
  if (is_rest) return "rest"
  return key === null ? "none" : `key ${key}`
}

/** Orders the largest first, and the rest of all last. */
export const compareUsage =
  <T>(itemOf: (entry: T) => UsageTotal, figureOf: (entry: T) => number) =>
  (a: T, b: T): number =>
    Number(itemOf(a).is_rest) - Number(itemOf(b).is_rest) || figureOf(b) - figureOf(a)

/**
 * Arranges totals by interval as series, of which the largest is first.
 * @param starts Unix times of all intervals, in order
 */
export const toUsageSeries = (
  items: readonly UsageTotal[],
  starts: readonly number[],
  measure: Measure,
): UsageSeries[] => {
  const indexByStart = new Map(starts.map((start, index) => [start, index]))
  const seriesById = new Map<string, { item: UsageTotal; values: number[]; total: number }>()
  for (const item of items) {
    const index = indexByStart.get(item.start ?? Number.NaN)
    if (index === undefined) continue
    const id = usageRowId(item)
    const series = seriesById.get(id) ?? { item, values: starts.map(() => 0), total: 0 }
    series.values[index] = (series.values[index] ?? 0) + item[measure]
    series.total += item[measure]
    seriesById.set(id, series)
  }
  return Array.from(seriesById, ([id, series]) => ({ id, ...series })).sort(
    compareUsage(
      ({ item }) => item,
      ({ total }) => total,
    ),
  )
}

/** Adds up all series, for each interval. */
export const sumSeries = (series: readonly UsageSeries[], count: number): number[] =>
  Array.from({ length: count }, (_, index) =>
    series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  )

const scaleSteps = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10]
/** Half of any other would be a fraction. */
const evenSteps = [2, 4, 6, 8, 10]

/** Rounds up to a scale maximum whose half is also a round number. */
export const roundUpScale = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  const steps = power === 1 ? evenSteps : scaleSteps
  return steps.map((step) => Math.round(step * power)).find((top) => top >= value) ?? value
}
