type Cell = string | number

/** A spreadsheet runs what begins like a formula; a quote before it makes it text again. */
const harmless = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

const cell = (value: Cell): string => {
  if (typeof value === "number") return String(value)
  const text = harmless(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** RFC 4180. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  `${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`

/** Gives the browser a file to save. */
export const download = (name: string, type: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}

export const downloadCsv = (name: string, rows: readonly (readonly Cell[])[]): void =>
  download(name, "text/csv;charset=utf-8", csvOf(rows))
