type Cell = string | number

/** Spreadsheets execute cells that start like a formula; a leading quote keeps them text. */
const escapeFormula = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

const formatCell = (value: Cell): string => {
  if (typeof value === "number") return String(value)
  const text = escapeFormula(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Formats rows as CSV (RFC 4180). */
export const formatCsv = (rows: readonly (readonly Cell[])[]): string =>
  `${rows.map((row) => row.map(formatCell).join(",")).join("\r\n")}\r\n`

/** Saves a text as a file in the browser. */
export const downloadTextFile = (name: string, type: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}

export const downloadCsv = (name: string, rows: readonly (readonly Cell[])[]): void =>
  downloadTextFile(name, "text/csv;charset=utf-8", formatCsv(rows))
