import { joinWrapped } from "./paragraphs.ts"
import { rowsOf, type TextRow } from "./table-rows.ts"
import type { TextCell, TextLine } from "./text-lines.ts"

/** Consecutive lines, or consecutive rows of a table. */
export type PagePart = { lines: TextLine[] } | { rows: TextRow[] }

/** In font sizes. */
const alignment = 0.5
const maxRowDrop = 4
const minRows = 3
/** Columns that make two rows a table. */
const minColumnsOfTwoRows = 3
/** In each cell of a line. */
const minWordsOfProse = 4
/** Lines between the rows of a table, such as those of wrapped cells. */
const maxLinesBetweenRows = 2

const listMarker =
  /^(?:[^\p{L}\p{N}]|\(?[\p{L}\p{N}]{1,3}[.):]?|\(?\d{1,2}(?:\.\d{1,2}){1,4}\.?\)?)$/u

const areAligned = (one: TextCell, other: TextCell, tolerance: number): boolean =>
  Math.abs(one.start - other.start) <= tolerance ||
  Math.abs(one.end - other.end) <= tolerance ||
  Math.abs(one.start + one.end - other.start - other.end) <= 2 * tolerance

/** Counts the cells that stand below a cell; both rows are ordered alike. */
const countAligned = (above: TextRow, below: TextRow, tolerance: number): number =>
  below.cells.filter((cell) => above.cells.some((other) => areAligned(cell, other, tolerance)))
    .length

const continuesTable = (above: TextRow, below: TextRow): boolean => {
  const [before, line] = [above.lines.at(-1), below.lines[0]]
  if (!before || !line || before.angle !== line.angle) return false
  const drop = (before.baseline - line.baseline) / line.size
  if (drop > maxRowDrop || (above.lines[0] ?? before).baseline <= line.baseline) return false
  const fewest = Math.min(above.cells.length, below.cells.length)
  return countAligned(above, below, alignment * line.size) >= Math.max(2, Math.ceil(fewest / 2))
}

const isList = (rows: readonly TextRow[]): boolean =>
  rows.filter(({ cells }) => cells.length === 2 && listMarker.test(cells[0]?.text ?? "")).length >
  rows.length / 2

/** Columns of text, of which each line looks like a row. */
const isProse = (rows: readonly TextRow[]): boolean => {
  const long = rows.filter(
    ({ cells, lines }) =>
      lines.length === 1 && cells.every(({ text }) => text.split(" ").length >= minWordsOfProse),
  )
  return long.length > rows.length / 2
}

const isTable = (rows: readonly TextRow[]): boolean => {
  if (rows.length < 2 || isList(rows) || isProse(rows)) return false
  const isWide = rows.every(({ cells }) => cells.length >= minColumnsOfTwoRows)
  return rows.length >= minRows || isWide
}

/** Adds a line to the cell that it continues, or returns it as a row of its own. */
const addWrappedLine = (row: TextRow, line: TextRow): TextRow[] => {
  const [wrapped] = line.cells
  const index = row.cells.findIndex(
    (cell, column) => column > 0 && wrapped && Math.abs(cell.start - wrapped.start) <= 1,
  )
  const cell = row.cells[index]
  if (!cell || !wrapped) return [row, line]
  const text = joinWrapped(cell.text, wrapped.text)
  return [{ lines: [...row.lines, ...line.lines], cells: row.cells.with(index, { ...cell, text }) }]
}

/** Consecutive rows below each other, and the lines after them that may still belong to them. */
interface OpenTable {
  rows: TextRow[]
  last: TextRow
  linesAfter: TextRow[]
}

const continueTable = (table: OpenTable, row: TextRow): boolean => {
  const { rows, last, linesAfter } = table
  if (row.cells.length < 2) {
    const isBetween = linesAfter.length < maxLinesBetweenRows
    if (isBetween) linesAfter.push(row)
    return isBetween
  }
  if (!continuesTable(last, row)) return false
  for (const line of linesAfter.splice(0)) {
    const above = rows.pop()
    if (above) rows.push(...addWrappedLine(above, line))
  }
  rows.push(row)
  table.last = row
  return true
}

const addLines = (parts: PagePart[], rows: readonly TextRow[]): void => {
  const lines = rows.flatMap((row) => row.lines)
  const last = parts.at(-1)
  if (last && "lines" in last) for (const line of lines) last.lines.push(line)
  else if (lines.length > 0) parts.push({ lines })
}

const addTable = (parts: PagePart[], { rows, linesAfter }: OpenTable): void => {
  if (isTable(rows)) parts.push({ rows })
  else addLines(parts, rows)
  addLines(parts, linesAfter)
}

/** Splits a page into its tables and the lines between them. */
export const partsOfPage = (lines: readonly TextLine[]): PagePart[] => {
  const parts: PagePart[] = []
  let table: OpenTable | null = null
  for (const row of rowsOf(lines)) {
    if (table && continueTable(table, row)) continue
    if (table) addTable(parts, table)
    table = null
    if (row.cells.length < 2) addLines(parts, [row])
    else table = { rows: [row], last: row, linesAfter: [] }
  }
  if (table) addTable(parts, table)
  return parts
}

export const textOfRow = ({ cells }: TextRow): string =>
  cells.map(({ text }) => text.replaceAll("\u00AD", "")).join(" | ")
