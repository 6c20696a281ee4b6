import { fail } from "../errors.ts"

/**
 * Spreadsheets evaluate cells that start like a formula; a leading apostrophe makes them text. One
 * more is added to cells that already have apostrophes there, so that reading restores each cell.
 */
const formulaStart = /^'*[=+\-@\t\r]/
const escapedFormulaStart = /^'+[=+\-@\t\r]/

const formatCell = (value: string): string => {
  const text = formulaStart.test(value) ? `'${value}` : value
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const restoreCell = (text: string): string =>
  escapedFormulaStart.test(text) ? text.slice(1) : text

/** Formats rows as CSV (RFC 4180). Other separators than the comma are quoted too: readers guess. */
export const formatCsvRows = (rows: readonly (readonly string[])[]): string =>
  `${rows.map((row) => row.map(formatCell).join(",")).join("\r\n")}\r\n`

/** Bounds of what a file may contain; the rows include empty ones. */
export interface CsvLimits {
  maxRows: number
  maxCells: number
  maxCellLength: number
}

/** A row and the number of the line on which it begins. */
export interface CsvRow {
  line: number
  cells: string[]
}

/** @throws {Failure} `invalid` */
const failLine = (line: number, message: string): never =>
  fail("invalid", `Line ${line}: ${message}`, { errors: [{ path: "line", message, line }] })

interface Cell {
  value: string
  /** Where what follows the cell begins. */
  end: number
}

/** Where a quoted cell ends: its next quote that is not doubled; -1 if none is. */
const endOfQuotes = (text: string, start: number, maxLength: number): number => {
  let at = text.indexOf('"', start)
  while (at !== -1 && text[at + 1] === '"' && at - start <= maxLength) {
    at = text.indexOf('"', at + 2)
  }
  return at
}

const countLineEnds = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0

/** Where the first separator must be found. */
const maxNamesLength = 10_000

/** Spreadsheets of countries with a decimal comma separate cells by semicolons. */
const separatorOf = (text: string): string =>
  /^[^\r\n]*?([,;\t])/.exec(text.slice(0, maxNamesLength))?.[1] ?? ","

/** @returns a function that reads the cell at `start`; `line` is where its row begins */
const createCellReader = (text: string, separator: string, maxLength: number) => {
  // One more than is allowed, so that the excess shows.
  const plainCell = new RegExp(`[^${separator}\r\n]{0,${maxLength + 1}}`, "y")

  const readQuotedCell = (start: number, line: number): Cell => {
    const close = endOfQuotes(text, start + 1, maxLength)
    if (close === -1) failLine(line, "A quoted cell does not end.")
    if (close - start > maxLength) return { value: text.slice(start, close), end: close }
    const next = text[close + 1]
    if (next !== undefined && ![separator, "\r", "\n"].includes(next)) {
      failLine(line, "There is text between the end of a quoted cell and the next separator.")
    }
    return { value: text.slice(start + 1, close).replaceAll('""', '"'), end: close + 1 }
  }

  return (start: number, line: number): Cell => {
    if (text[start] === '"') return readQuotedCell(start, line)
    plainCell.lastIndex = start
    const [value = ""] = plainCell.exec(text) ?? []
    return { value, end: start + value.length }
  }
}

/** @returns a function that reads the row at `start`, which is on the line `line` */
const createRowReader = (text: string, limits: CsvLimits) => {
  const { maxCells, maxCellLength } = limits
  const separator = separatorOf(text)
  const readCell = createCellReader(text, separator, maxCellLength)

  return (start: number, line: number): CsvRow & { end: number } => {
    const cells: string[] = []
    let end = start - 1
    do {
      const cell = readCell(end + 1, line)
      if (cell.value.length > maxCellLength || cells.length === maxCells) {
        failLine(line, `At most ${maxCells} cells of ${maxCellLength} characters are allowed.`)
      }
      cells.push(restoreCell(cell.value))
      end = cell.end
    } while (text[end] === separator)
    return { line, cells, end: text.startsWith("\r\n", end) ? end + 2 : end + 1 }
  }
}

/**
 * Reads CSV (RFC 4180), with any of the line ends and separators that spreadsheets write. Empty
 * lines are left out.
 * @throws {Failure} `invalid` beyond the limits, or if a quote is not closed
 */
export function* readCsvRows(source: string, limits: CsvLimits): Generator<CsvRow, undefined> {
  const text = source.replace(/^\ufeff/, "")
  const readRow = createRowReader(text, limits)
  let line = 1
  let at = 0
  for (let count = 1; at < text.length; count++) {
    if (count > limits.maxRows) {
      failLine(line, `A table can have at most ${limits.maxRows} lines.`)
    }
    const { cells, end } = readRow(at, line)
    if (cells.some((cell) => cell !== "")) yield { line, cells }
    line += countLineEnds(text.slice(at, end))
    at = end
  }
}
