import { cellKind } from "./cell-kind.ts"
import { isPairRow, isTwoPairForm, maxFormRows } from "./find-form.ts"
import { type FilledCell, filledCells, type TableRow } from "./table-row.ts"

/** Rows of a table in which its header is looked for. */
export const headerSearchRows = 60
const maxLabelLength = 120
/** Headers of more rows are not believed. */
export const maxHeaderRows = 3
/** Rows below a label that tell what kind of values its column holds. */
const valueRows = 5
/** That many labels over numbers make a header even if one of its cells is a number. */
const minLabelsOverNumbers = 3

/** Header rows of a table: indexes of its first row, and of the row after its last one. */
export interface HeaderRange {
  start: number
  end: number
  /** Whether more than its position tells that it is a header. */
  isCertain: boolean
}

/** The first rows of a table, with what is asked of them again and again. */
class TableStart {
  readonly rows: readonly TableRow[]
  readonly filled: readonly FilledCell[][]
  /** Filled cells that at least some rows have. */
  readonly width: number

  constructor(rows: readonly TableRow[]) {
    this.rows = rows.slice(0, headerSearchRows)
    this.filled = this.rows.map(filledCells)
    const widths = this.filled.map(({ length }) => length).toSorted((a, z) => z - a)
    this.width = widths[Math.max(1, Math.floor(widths.length / 10))] ?? 0
  }

  cellsOf(index: number): readonly FilledCell[] {
    return this.filled[index] ?? []
  }

  textAt(index: number, column: number): string {
    return this.rows[index]?.cells[column]?.trim() ?? ""
  }

  /** Kinds of the next values below a cell. */
  kindsBelow(index: number, column: number): string[] {
    const below = this.rows.slice(index + 1, index + 1 + valueRows)
    return below.flatMap(({ cells }) => {
      const text = cells[column]?.trim()
      return text ? [cellKind(text)] : []
    })
  }

  isOverNumbers(index: number, { column, text }: FilledCell): boolean {
    const kinds = this.kindsBelow(index, column)
    const others = kinds.filter((kind) => kind !== "text").length
    return cellKind(text) === "text" && others > 0 && others >= kinds.length / 2
  }
}

const isCountingUp = (cells: readonly FilledCell[]): boolean => {
  const numbers = cells.map(({ text }) => Number(text)).filter(Number.isInteger)
  return (
    numbers.length >= 3 &&
    numbers.every((number, at) => at === 0 || number === (numbers[at - 1] ?? 0) + 1)
  )
}

/** Texts, and years, dates or numbers that count up, unless their columns go on like that. */
const isLabel = (table: TableStart, index: number, cell: FilledCell, counts: boolean): boolean => {
  if (cell.text.length > maxLabelLength) return false
  const kind = cellKind(cell.text)
  if (kind === "text") return true
  if (kind === "number" && !counts) return false
  const [next] = table.kindsBelow(index, cell.column)
  return next !== undefined && (next !== kind || counts)
}

const isLabelRow = (table: TableStart, index: number): boolean => {
  const cells = table.cellsOf(index)
  const counts = isCountingUp(cells)
  const others = cells.filter((cell) => !isLabel(table, index, cell, counts))
  const overNumbers = cells.filter((cell) => table.isOverNumbers(index, cell))
  if (others.length > 0) return others.length === 1 && overNumbers.length >= minLabelsOverNumbers
  const [first] = cells
  if (first && first.column === 0 && cellKind(first.text) !== "text") return false
  const withColon = cells.filter(({ text }) => text.endsWith(":")).length
  const isRepetitive = new Set(cells.map(({ text }) => text)).size < cells.length / 2
  return !isRepetitive && (withColon === 0 || withColon === cells.length)
}

/** Labels on the left and their values on the right, as in a form; no row is a header. */
const isForm = (table: TableStart): boolean => {
  const { rows, filled } = table
  const start = filled.findIndex(({ length }) => length > 1)
  if (isTwoPairForm(filled)) return !rows[start]?.isEmphasized
  const pairs = filled.filter(({ length }) => length === 2)
  if (table.width > 2 || pairs.length < 2 || filled.length > maxFormRows) return false
  if (pairs.some(([label]) => label?.text.endsWith(":"))) return true
  const [first] = pairs
  const index = first ? filled.indexOf(first) : 0
  const value = first?.[1]
  if (!first || !value || rows[index]?.isEmphasized) return false
  const kinds = new Set(pairs.slice(1).map(([, cell]) => cellKind(cell?.text ?? "")))
  return kinds.size > 1 || kinds.has("text") || !isLabelRow(table, index)
}

const isBelowSpan = (table: TableStart, index: number): boolean => {
  const spans = [...(table.rows[index - 1]?.spans ?? [])]
  const cells = table.cellsOf(index)
  return spans.some(([column, columns]) =>
    cells.some((cell) => cell.column > column && cell.column < column + columns),
  )
}

/** Whether a row goes on with the header above it: sub-headers or units. */
const continuesHeader = (table: TableStart, index: number): boolean => {
  const cells = table.cellsOf(index)
  const [first] = table.cellsOf(index - 1)
  if (cells.length < 2 || index >= table.rows.length - 1 || !isLabelRow(table, index)) return false
  if (isBelowSpan(table, index)) return true
  const column = Math.min(first?.column ?? 0, cells[0]?.column ?? 0)
  const own = table.textAt(index, column)
  const above = table.textAt(index - 1, column)
  const isIncomplete = own === "" || above === "" || own === above
  return isIncomplete && cells.filter((cell) => table.isOverNumbers(index, cell)).length > 0
}

/** Whether a row groups the columns of the header below it, unlike a title. */
const isGroupRow = (table: TableStart, index: number): boolean => {
  const row = table.rows[index]
  const cells = table.cellsOf(index)
  const header = table.cellsOf(index + 1)
  const first = header[0]?.column ?? 0
  const last = header.at(-1)?.column ?? 0
  if (!row || row.row + 1 !== table.rows[index + 1]?.row || cells.length === 0) return false
  if (!cells.every(({ text }) => text.length <= maxLabelLength)) return false
  const hasPartialSpan = [...(row.spans ?? [])].some(
    ([column, columns]) => column > first || column + columns <= last,
  )
  const isOverLabels = cells.every(({ column }) => column > first && column <= last)
  return hasPartialSpan || (isOverLabels && cells.length >= 2 && cells.length < header.length)
}

const extend = (table: TableStart, index: number, isCertain: boolean): HeaderRange => {
  let start = index
  let end = index + 1
  while (end - start < maxHeaderRows && continuesHeader(table, end)) end++
  while (end - start < maxHeaderRows && start > 0 && isGroupRow(table, start - 1)) start--
  return { start, end, isCertain }
}

/** The header of a table directly below a form; -1 if there is none. */
const findHeaderBelowForm = (table: TableStart): number => {
  const start = table.filled.findIndex(({ length }) => length > 1)
  const index = table.filled.findIndex((cells, at) => at >= start && !isPairRow(cells))
  if (index < start + 2 || table.rows[start]?.isEmphasized) return -1
  const cells = table.cellsOf(index)
  const pairs = table.filled.slice(start, index)
  const isWider = cells.length > 2 && pairs.every(({ length }) => length !== cells.length)
  const isHeader =
    table.rows[index]?.isEmphasized || cells.some((cell) => table.isOverNumbers(index, cell))
  return isWider && isHeader && isLabelRow(table, index) ? index : -1
}

const isWideEnough = (table: TableStart, index: number): boolean =>
  table.cellsOf(index).length >= 2 && table.cellsOf(index).length > table.width / 2

/**
 * Finds the header under titles and notes: the first row of labels from which on rows are filled
 * like it.
 * @param rows those with text
 * @param knownRows rows that are headers by the document's own account
 * @returns null if rows have no header
 */
export const findHeader = (
  rows: readonly TableRow[],
  knownRows: ReadonlySet<number> = new Set(),
): HeaderRange | null => {
  const table = new TableStart(rows)
  const known = table.rows.findLastIndex(
    ({ row }, index) => knownRows.has(row) && table.cellsOf(index).length >= 2,
  )
  if (known >= 0) return extend(table, known, true)
  if (isForm(table)) return null
  const below = findHeaderBelowForm(table)
  if (below >= 0) return { start: below, end: below + 1, isCertain: true }
  let isFirst = true
  for (let index = 0; index < table.rows.length - 1; index++) {
    if (!isWideEnough(table, index)) continue
    const isEmphasized =
      table.rows[index]?.isEmphasized === true && table.rows[index + 1]?.isEmphasized !== true
    const isOverNumbers = table.cellsOf(index).some((cell) => table.isOverNumbers(index, cell))
    if (isLabelRow(table, index) && (isFirst || isEmphasized)) {
      return extend(table, index, isEmphasized || isOverNumbers)
    }
    isFirst = false
  }
  return null
}
