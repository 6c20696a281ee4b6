import {
  createPointFormatter,
  joinCategoryLevels,
  type PointTexts,
  shortenName,
} from "./chart-points.ts"
import { type ChartSeries, chartCaption, chartRows } from "./chart-rows.ts"
import { readDrawingText } from "./drawing-text.ts"
import {
  findChild,
  findChildren,
  findDescendants,
  findPath,
  type XmlElement,
} from "./office-xml.ts"

interface ChartData {
  categories: PointTexts
  values: PointTexts
}

const readTitle = (title: XmlElement | undefined): string =>
  readDrawingText(findPath(title, "tx", "rich")) ||
  (findPath(title, "tx", "txData", "v")?.text.trim() ?? "")

const readLevel = (level: XmlElement): PointTexts => {
  const { formatCode } = level.attributes
  const showNumber = createPointFormatter()
  return new Map(
    findChildren(level, "pt").map(({ attributes, text }) => [
      Number(attributes.idx),
      formatCode === undefined ? shortenName(text) : showNumber(text, formatCode),
    ]),
  )
}

const readDimension = (dimension: XmlElement | undefined): PointTexts =>
  joinCategoryLevels(findChildren(dimension, "lvl").map(readLevel))

const readData = (data: XmlElement): ChartData => ({
  categories: readDimension(findChild(data, "strDim")),
  values: readDimension(findChild(data, "numDim")),
})

/** The lines of a `cx:chartSpace`, such as a funnel or a treemap (MS-ODRAWXML, §2.24). */
export const readExtendedChart = (chartSpace: XmlElement): string[] => {
  const chart = findChild(chartSpace, "chart")
  const plotArea = findChild(chart, "plotArea")
  const dataById = new Map(
    findChildren(findChild(chartSpace, "chartData"), "data").map((data) => [
      data.attributes.id,
      readData(data),
    ]),
  )
  const series = findDescendants(plotArea, "series").flatMap((one): ChartSeries[] => {
    const data = dataById.get(findChild(one, "dataId")?.attributes.val)
    return data ? [{ ...data, name: shortenName(readTitle(one)) }] : []
  })
  const axisTitles = findChildren(plotArea, "axis").map((axis) =>
    readTitle(findChild(axis, "title")),
  )
  return [...chartCaption(readTitle(findChild(chart, "title")), axisTitles), ...chartRows(series)]
}
