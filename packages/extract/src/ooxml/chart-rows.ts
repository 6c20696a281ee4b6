import type { PointTexts } from "./chart-points.ts"

export interface ChartSeries {
  name: string
  /** Empty if the categories are those of the series before. */
  categories: PointTexts
  values: PointTexts
}

/** Series over the same categories. */
interface SeriesGroup {
  categories: PointTexts
  series: ChartSeries[]
}

const isSame = (a: PointTexts, z: PointTexts): boolean =>
  a.size === z.size && [...a].every(([index, text]) => z.get(index) === text)

const groupByCategories = (series: readonly ChartSeries[]): SeriesGroup[] => {
  const groups: SeriesGroup[] = []
  for (const one of series) {
    const group = groups.at(-1)
    const isShared =
      group && (one.categories.size === 0 || isSame(one.categories, group.categories))
    if (isShared) group.series.push(one)
    else groups.push({ categories: one.categories, series: [one] })
  }
  return groups
}

const rowsOfGroup = ({ categories, series }: SeriesGroup): string[] => {
  const cellsByIndex = new Map<number, string[]>()
  for (const [index, category] of categories) cellsByIndex.set(index, [category])
  for (const { name, values } of series) {
    for (const [index, value] of values) {
      const cells = cellsByIndex.get(index) ?? []
      cells.push(name ? `${name}: ${value}` : value)
      cellsByIndex.set(index, cells)
    }
  }
  return [...cellsByIndex].toSorted(([a], [z]) => a - z).map(([, cells]) => cells.join(" | "))
}

/** A row for each category, such as "May | North: 7 | South: 9". */
export const chartRows = (series: readonly ChartSeries[]): string[] =>
  groupByCategories(series).flatMap(rowsOfGroup)

/** A line with what stands around a chart, if anything does. */
export const chartCaption = (title: string, axes: readonly string[]): string[] => {
  const axisTitles = axes.filter(Boolean).join(", ")
  return [title ? `Chart: ${title}` : "Chart", ...(axisTitles ? [`Axes: ${axisTitles}`] : [])]
}
