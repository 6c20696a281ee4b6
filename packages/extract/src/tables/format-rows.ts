import type { Block, PassageLocation } from "../blocks.ts"
import { cellKind } from "./cell-kind.ts"
import { columnNames } from "./column-names.ts"
import { isTwoPairForm } from "./find-form.ts"
import { headerSearchRows } from "./find-header.ts"
import { filledCells, filledColumns, type TableRow } from "./table-row.ts"

const maxLabelLength = 60
const maxTitleLength = 120

const isTitle = (text: string): boolean =>
  text.length <= maxTitleLength && cellKind(text) === "text" && !/[.!?;:,。！？]$/.test(text)

const isPairLabel = (text: string): boolean =>
  text.length <= maxLabelLength && cellKind(text) === "text" && /\p{L}/u.test(text)

const joinPair = (label: string, value: string): string =>
  `${label.replace(/[:：]$/, "").trimEnd()}: ${value}`

const areTwoPairs = (rows: readonly TableRow[]): boolean =>
  rows.length <= headerSearchRows && isTwoPairForm(rows.map(filledCells))

const formatPairs = (texts: readonly string[]): string =>
  texts
    .flatMap((label, at) => (at % 2 === 0 ? [joinPair(label, texts[at + 1] ?? "")] : []))
    .join(" | ")

/** Cells of a row without column names; a label stands before its value. */
const formatCells = (row: TableRow, arePairs: boolean): string => {
  const texts = filledCells(row).map(({ text }) => text)
  if (arePairs && texts.length > 1) return formatPairs(texts)
  const [label = "", value] = texts
  if (texts.length === 2 && value && isPairLabel(label)) return joinPair(label, value)
  const parts: string[] = []
  let open = ""
  for (const text of texts) {
    if (open !== "") {
      parts.push(joinPair(open, text))
      open = ""
    } else if (/[:：]$/.test(text) && text.length <= maxLabelLength) open = text
    else parts.push(text)
  }
  return [...parts, open].filter(Boolean).join(" | ")
}

const formatNamedRow = (row: TableRow, names: ReadonlyMap<number, string>): string => {
  const cells = filledCells(row)
  // Some programs repeat the header on each printed page.
  if (cells.length > 1 && cells.every(({ column, text }) => names.get(column) === text)) return ""
  return cells
    .map(({ column, text }) => {
      const name = names.get(column)
      return name === undefined ? text : `${name}: ${text}`
    })
    .join(" | ")
}

/** Rows of a table, each with the names of its columns. */
export const formatNamedRows = (
  rows: readonly TableRow[],
  names: ReadonlyMap<number, string>,
  location: PassageLocation,
): Block[] =>
  rows.flatMap((row) => {
    const text = formatNamedRow(row, names)
    return text === "" ? [] : [{ text, kind: "row", location: { ...location, row: row.row } }]
  })

/** A table's own rows; its header comes first if not all names occur in what is shown of them. */
export const formatTable = (
  header: readonly TableRow[],
  rows: readonly TableRow[],
  location: PassageLocation,
): Block[] => {
  const names = columnNames(header)
  const unused = new Set(names.keys())
  for (const row of rows) {
    if (unused.size === 0) break
    for (const column of filledColumns(row)) unused.delete(column)
  }
  const body = formatNamedRows(rows, names, location)
  return unused.size === 0 && body.length > 0
    ? body
    : [...formatUnnamedRows(header, location), ...body]
}

/** Rows that are no table: forms, lists and notes. */
export const formatUnnamedRows = (
  rows: readonly TableRow[],
  location: PassageLocation,
): Block[] => {
  const arePairs = areTwoPairs(rows)
  return rows.flatMap((row) => {
    const text = formatCells(row, arePairs)
    return text === "" ? [] : [{ text, kind: "row", location: { ...location, row: row.row } }]
  })
}

/** The texts above a table, and its heading: the titles among them. */
export const formatTitleRows = (
  rows: readonly TableRow[],
  location: PassageLocation,
): { blocks: Block[]; heading: string[] | undefined } => {
  const [outer = []] = [location.heading]
  const titles: string[] = []
  const maxTitles = 2
  for (const row of rows) {
    const [cell, ...others] = filledCells(row)
    if (!cell || others.length > 0 || !isTitle(cell.text)) break
    if (titles.length < maxTitles) titles.push(cell.text)
  }
  const heading = titles.length > 0 ? [...outer, ...titles] : location.heading
  const arePairs = areTwoPairs(rows)
  const blocks = rows.map((row, index): Block => {
    const path = titles.length > 0 ? [...outer, ...titles.slice(0, index + 1)] : location.heading
    return {
      text: formatCells(row, arePairs),
      kind: index < titles.length ? "heading" : "paragraph",
      location: { ...location, row: row.row, ...(path && { heading: path }) },
    }
  })
  return { blocks, heading }
}
