import { downloadTextFile } from "../browser/download.ts"

export type Cell = string | number

/** Spreadsheets execute cells that start like a formula; a leading quote keeps them text. */
const escapeFormula = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

const formatCell = (value: Cell): string => {
  if (typeof value === "number") return String(value)
  const text = escapeFormula(value)
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Formats rows as CSV (RFC 4180). Other separators than the comma are quoted too: readers guess. */
export const formatCsv = (rows: readonly (readonly Cell[])[]): string =>
  `${rows.map((row) => row.map(formatCell).join(",")).join("\r\n")}\r\n`

export const downloadCsv = (name: string, rows: readonly (readonly Cell[])[]): void =>
  downloadTextFile(name, "text/csv;charset=utf-8", formatCsv(rows))
