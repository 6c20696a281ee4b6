import { joinWrapped } from "./paragraphs.ts"
import { type TextCell, type TextLine, textOfLine } from "./text-lines.ts"

/** Lines of a table's row, or a line that may be one. */
export interface TextRow {
  lines: TextLine[]
  cells: TextCell[]
}

/** A wrapped cell of more lines is a column of text. */
const maxLinesOfRow = 12
/** In font sizes. */
const alignment = 0.5
const maxLineDrop = 1.7

const joinCells = (above: TextCell, below: TextCell): TextCell => ({
  text: joinWrapped(above.text, below.text),
  start: Math.min(above.start, below.start),
  end: Math.max(above.end, below.end),
})

const overlaps = (one: TextCell | TextLine, other: TextCell | TextLine): boolean =>
  one.start < other.end && other.start < one.end

const isBeside = (row: TextRow, line: TextLine): boolean => {
  const tolerance = alignment * line.size
  const isRight = row.cells.every(({ end }) => end <= line.start + tolerance)
  const isLeft = row.cells.every(({ start }) => start >= line.end - tolerance)
  return line.direction === "right-to-left" ? isLeft : isRight
}

/** The row of which a line begins the next cell after a cell of several lines was drawn. */
const findRowOfNextCell = (rows: readonly TextRow[], line: TextLine): number => {
  const first = Math.max(0, rows.length - maxLinesOfRow)
  for (let index = rows.length - 1; index >= first; index--) {
    const row = rows[index]
    const top = row?.lines[0]
    if (!row || !top || top.angle !== line.angle) return -1
    const shift = top.baseline - line.baseline
    if (Math.abs(shift) <= alignment * line.size) return isBeside(row, line) ? index : -1
    if (shift > 0) return -1
  }
  return -1
}

/** Adds lines below the last cell of a row to it. @returns null if they are not below it */
const withWrappedLines = (row: TextRow, below: readonly TextRow[]): TextRow | null => {
  let last = row.cells.at(-1)
  const lines = [...row.lines]
  for (const { cells, lines: more } of below) {
    const [cell] = cells
    if (!last || !cell || cells.length > 1 || !overlaps(last, cell)) return null
    last = joinCells(last, cell)
    lines.push(...more)
  }
  return last ? { lines, cells: [...row.cells.slice(0, -1), last] } : null
}

/** Whether a line continues the last of several cells that are drawn one after the other. */
const continuesCell = (row: TextRow, line: TextLine): boolean => {
  const [cell, last] = [row.cells.at(-1), row.lines.at(-1)]
  if (!cell || !last || row.cells.length < 2 || row.lines.length < 2) return false
  if (line.angle !== last.angle || line.cells.length > 1 || row.lines.length > maxLinesOfRow)
    return false
  const drop = (last.baseline - line.baseline) / line.size
  if (drop < 0.3 || drop > maxLineDrop || !overlaps(cell, line)) return false
  return row.cells.slice(0, -1).every((other) => !overlaps(other, line))
}

const appendNextCell = (rows: TextRow[], index: number, line: TextLine): boolean => {
  const row = rows[index]
  const wrapped = row ? withWrappedLines(row, rows.slice(index + 1)) : null
  if (!wrapped || wrapped.lines.length > maxLinesOfRow) return false
  rows.length = index
  rows.push({
    lines: [...wrapped.lines, line],
    cells: [...wrapped.cells, ...line.cells],
  })
  return true
}

/** Lines as rows; cells of several lines that are drawn one after the other become one row. */
export const rowsOf = (lines: readonly TextLine[]): TextRow[] => {
  const rows: TextRow[] = []
  for (const line of lines) {
    const row = rows.at(-1)
    const index = findRowOfNextCell(rows, line)
    if (index >= 0 && appendNextCell(rows, index, line)) continue
    const cell = row?.cells.at(-1)
    if (row && cell && continuesCell(row, line)) {
      row.lines.push(line)
      const { start, end } = line
      row.cells[row.cells.length - 1] = joinCells(cell, { text: textOfLine(line), start, end })
    } else {
      rows.push({ lines: [line], cells: line.cells })
    }
  }
  return rows
}
