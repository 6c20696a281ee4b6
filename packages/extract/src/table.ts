import type { Block, PassageLocation } from "./blocks.ts"

const maxHeaderLength = 120

const looksLikeHeader = (
  cells: readonly string[],
  next: readonly string[] | undefined,
): boolean => {
  const filled = cells.filter((cell) => cell.trim() !== "")
  if (!next || filled.length < 2 || filled.length < next.filter(Boolean).length / 2) return false
  const words = filled.filter(
    (cell) => cell.length <= maxHeaderLength && !/^[\d.,\s%€$-]+$/.test(cell),
  )
  return words.length === filled.length && new Set(filled).size === filled.length
}

/**
 * Formats each value with its column's name, so that a passage is understandable without the
 * header.
 */
export const rowsToBlocks = (
  rows: readonly { row: number; cells: readonly string[] }[],
  location: PassageLocation = {},
): Block[] => {
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ""))
  const [first, second] = filled
  const header = first && looksLikeHeader(first.cells, second?.cells) ? first.cells : null
  const body = header ? filled.slice(1) : filled
  return body.map(({ row, cells }) => {
    const named = cells.flatMap((cell, index) => {
      const text = cell.replace(/\s+/g, " ").trim()
      if (text === "") return []
      const name = header?.[index]?.replace(/\s+/g, " ").trim()
      return [name ? `${name}: ${text}` : text]
    })
    return { text: named.join(" | "), kind: "row", location: { ...location, row } }
  })
}

const separators = [",", ";", "\t", "|"]
/** Sample from which the separator is detected. */
const sampleCharacters = 50_000
const sampleLines = 20

/** The separator that splits the first lines most evenly. */
const separatorOf = (text: string): string => {
  const lines = text.slice(0, sampleCharacters).split(/\r?\n/, sampleLines).filter(Boolean)
  const evenness = (separator: string): number => {
    const counts = lines.map((line) => line.split(separator).length - 1)
    const min = Math.min(...counts)
    return min > 0 ? min * 2 - (Math.max(...counts) - min) : 0
  }
  return separators.toSorted((a, z) => evenness(z) - evenness(a))[0] ?? ","
}

/** End of the quoted value that starts at `from`; null if the quote is never closed. */
const closingQuote = (text: string, from: number): number | null => {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at
  }
  return null
}

/** Reads values in a single pass. */
const createCellReader = (text: string, separator: string) => {
  const ends = new RegExp(`[${separator}\\r\\n]`, "g")
  let at = 0
  let trustsQuotes = true

  const readPlainText = (): string => {
    ends.lastIndex = at
    const from = at
    at = ends.exec(text)?.index ?? text.length
    return text.slice(from, at)
  }
  const readQuoted = (): string | null => {
    if (text[at] !== '"' || !trustsQuotes) return null
    const closes = closingQuote(text, at + 1)
    if (closes === null) {
      // An unclosed quote is plain text, and so are all later ones; searching again for each would
      // be quadratic.
      trustsQuotes = false
      return null
    }
    const value = text.slice(at + 1, closes).replaceAll('""', '"')
    at = closes + 1
    return value
  }
  return {
    isDone: (): boolean => at >= text.length,
    next: (): { value: string; endsRow: boolean } => {
      const inQuotes = readQuoted()
      const value = inQuotes === null ? readPlainText() : inQuotes + readPlainText()
      const endsRow = text[at] !== separator
      at += text.startsWith("\r\n", at) ? 2 : 1
      return { value, endsRow }
    },
  }
}

/** Separated values (RFC 4180); the separator is detected by default. */
export const readCsv = (text: string, separator = separatorOf(text)): Block[] => {
  const rows: { row: number; cells: string[] }[] = []
  const values = createCellReader(text, separator)
  let cells: string[] = []
  while (!values.isDone()) {
    const { value, endsRow } = values.next()
    cells.push(value)
    if (!endsRow) continue
    rows.push({ row: rows.length + 1, cells })
    cells = []
  }
  return rowsToBlocks(cells.length > 0 ? [...rows, { row: rows.length + 1, cells }] : rows)
}
