import { type NumberFormat, parseNumberFormat } from "../excel/number-format.ts"
import { findChild, findChildren, type XmlElement } from "./office-xml.ts"

/** Texts of points by their index; points without a text are missing. */
export type PointTexts = ReadonlyMap<number, string>

const maxCategoryLevels = 8
/** Limits what is repeated for each point. */
const maxNameLength = 200

/** One line of at most 200 characters. */
export const shortenName = (text: string): string =>
  text.replace(/\s+/g, " ").trim().slice(0, maxNameLength)

/** Formats numbers of points as a workbook shows them; other texts stay. */
export const createPointFormatter = (): ((raw: string, formatCode: string) => string) => {
  const formats = new Map<string, NumberFormat>()
  return (raw, formatCode) => {
    const value = Number(raw)
    if (raw.trim() === "" || !Number.isFinite(value)) return shortenName(raw)
    const format = formats.get(formatCode) ?? parseNumberFormat(formatCode || "General")
    formats.set(formatCode, format)
    return shortenName(format.formatNumber(value))
  }
}

const pointsOf = (data: XmlElement | undefined): PointTexts => {
  const points = new Map<number, string>()
  const formatCode = findChild(data, "formatCode")?.text ?? ""
  const showNumber = createPointFormatter()
  const isNumeric = data?.name === "numCache" || data?.name === "numLit"
  for (const point of findChildren(data, "pt")) {
    const raw = findChild(point, "v")?.text ?? ""
    const { idx, formatCode: ownCode = formatCode } = point.attributes
    const text = isNumeric ? showNumber(raw, ownCode) : shortenName(raw)
    if (text !== "") points.set(Number(idx), text)
  }
  return points
}

/** Names categories with their groups; each level names a group at its first category. */
export const joinCategoryLevels = (levels: readonly PointTexts[]): PointTexts => {
  const outermostFirst = levels.slice(0, maxCategoryLevels).toReversed()
  const indexes = new Set(outermostFirst.flatMap((points) => [...points.keys()]))
  const joined = new Map<number, string>()
  const path = outermostFirst.map(() => "")
  for (const index of [...indexes].toSorted((a, z) => a - z)) {
    for (const [level, points] of outermostFirst.entries()) {
      path[level] = points.get(index) ?? path[level] ?? ""
    }
    joined.set(index, path.filter(Boolean).join(", "))
  }
  return joined
}

/** Points of `c:cat`, `c:val`, `c:tx` and the like: literal, or cached from a workbook. */
export const readChartPoints = (source: XmlElement | undefined): PointTexts => {
  const data = source?.children[0]
  const cache = data?.children.find(({ name }) => name.endsWith("Cache")) ?? data
  return cache?.name === "multiLvlStrCache"
    ? joinCategoryLevels(findChildren(cache, "lvl").map(pointsOf))
    : pointsOf(cache)
}
