import { type PointTexts, readChartPoints, shortenName } from "./chart-points.ts"
import { type ChartSeries, chartCaption, chartRows } from "./chart-rows.ts"
import { readDrawingText } from "./drawing-text.ts"
import { findChild, findChildren, findPath, type XmlElement } from "./office-xml.ts"

const readTitle = (title: XmlElement | undefined): string =>
  readDrawingText(title) || [...readChartPoints(findChild(title, "tx")).values()].join(" ")

const readName = (series: XmlElement): string => {
  const source = findChild(series, "tx")
  const [name = findChild(source, "v")?.text ?? ""] = readChartPoints(source).values()
  return shortenName(name)
}

/** What stands beside points: labels that were written by hand, and sizes of bubbles. */
const readRemarks = (series: XmlElement): PointTexts => {
  const remarks = new Map(readChartPoints(findChild(series, "bubbleSize")))
  for (const label of findChildren(findChild(series, "dLbls"), "dLbl")) {
    const text = shortenName(readDrawingText(findPath(label, "tx", "rich")))
    if (text) remarks.set(Number(findChild(label, "idx")?.attributes.val), text)
  }
  return remarks
}

/** All series of a plot stand over the categories of its first one; only points have their own. */
const readCategories = (series: XmlElement, isFirst: boolean): PointTexts =>
  isFirst || findChild(series, "xVal")
    ? readChartPoints(findChild(series, "cat") ?? findChild(series, "xVal"))
    : new Map()

const readSeries = (series: XmlElement, isFirst: boolean): ChartSeries => {
  const values = readChartPoints(findChild(series, "val") ?? findChild(series, "yVal"))
  const remarks = readRemarks(series)
  return {
    name: readName(series),
    categories: readCategories(series, isFirst),
    values: new Map(
      [...values].map(([index, value]) => {
        const remark = remarks.get(index)
        return [index, remark ? `${value} (${remark})` : value]
      }),
    ),
  }
}

/** The lines of a `c:chartSpace`: titles, then a row for each category (ECMA-376 part 1, §21.2). */
export const readChart = (chartSpace: XmlElement): string[] => {
  const chart = findChild(chartSpace, "chart")
  const plotArea = findChild(chart, "plotArea")
  const plots = plotArea?.children.map((plot) => findChildren(plot, "ser")) ?? []
  const axes = plotArea?.children.filter(({ name }) => name.endsWith("Ax")) ?? []
  const axisTitles = axes.map((axis) => readTitle(findChild(axis, "title")))
  return [
    ...chartCaption(readTitle(findChild(chart, "title")), axisTitles),
    ...chartRows(plots.flatMap((plot) => plot.map((series, at) => readSeries(series, at === 0)))),
  ]
}
