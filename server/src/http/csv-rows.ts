/**
 * Spreadsheets evaluate cells that start like a formula; a leading apostrophe makes them text. One
 * more is added to cells that already have apostrophes there, so that reading restores each cell.
 */
const formulaStart = /^'*[=+\-@\t\r]/
const escapedFormulaStart = /^'+[=+\-@\t\r]/

const formatCell = (value: string): string => {
  const text = formulaStart.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const restoreCell = (text: string): string =>
  escapedFormulaStart.test(text) ? text.slice(1) : text

/** Formats rows as CSV (RFC 4180). */
export const formatCsvRows = (rows: readonly (readonly string[])[]): string =>
  `${rows.map((row) => row.map(formatCell).join(",")).join("\r\n")}\r\n`

/** Where a quoted cell ends: its next quote that is not doubled; the text's length if none is. */
const endOfQuotes = (text: string, start: number): number => {
  let at = text.indexOf('"', start)
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2)
  return at === -1 ? text.length : at
}

interface Cell {
  value: string
  /** Where what follows the cell begins. */
  end: number
}

const readQuotedCell = (text: string, start: number): Cell => {
  const close = endOfQuotes(text, start + 1)
  const value = text.slice(start + 1, close).replaceAll('""', '"')
  return { value, end: Math.min(close + 1, text.length) }
}

/** @param plainCell a sticky pattern for cells without quotes */
const readCell = (text: string, start: number, plainCell: RegExp): Cell => {
  if (text[start] === '"') return readQuotedCell(text, start)
  plainCell.lastIndex = start
  const [value = ""] = plainCell.exec(text) ?? []
  return { value, end: start + value.length }
}

/** Spreadsheets of countries with a decimal comma separate cells by semicolons. */
const separatorOf = (text: string): string => /^[^\r\n]*?([,;\t])/.exec(text)?.[1] ?? ","

/**
 * Reads CSV (RFC 4180), with any of the line ends and separators that spreadsheets write. Empty
 * lines are left out.
 */
export const parseCsvRows = (source: string): string[][] => {
  const text = source.replace(/^\ufeff/, "")
  const separator = separatorOf(text)
  const plainCell = new RegExp(`[^${separator}\r\n]*`, "y")
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    const { value, end } = readCell(text, at, plainCell)
    row.push(restoreCell(value))
    at = end + 1
    if (text[end] === separator && at < text.length) continue
    if (text[end] === separator) row.push("")
    if (text[end] === "\r" && text[at] === "\n") at++
    if (row.some((cell) => cell !== "")) rows.push(row)
    row = []
  }
  return rows
}
