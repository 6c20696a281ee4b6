import type { Block } from "../blocks.ts"
import { sheetToBlocks } from "../sheet-to-blocks.ts"

/** The later ones also occur in values, such as a comma in "1,50". */
const separators = ["\t", ";", "|", ","]
/** Sample from which the separator is detected. */
const sampleCharacters = 50_000
const sampleLines = 50

/** A first line in which Excel declares the separator, such as `sep=;`. */
const declaration = /^"?sep=([^\w\s"]|\t)"?(?:\r\n|\r|\n|$)/i

const quotedValues = /(?<=^|[\t;|,])"(?:[^"]|"")*"/gm

/** The separator that occurs equally often in most of the first lines. */
const separatorOf = (text: string): string => {
  const sample = text.slice(0, sampleCharacters).replace(quotedValues, "")
  const lines = sample.split(/\r\n|\r|\n/, sampleLines).filter(Boolean)
  const evenLines = (separator: string): number => {
    const linesByCount = new Map<number, number>()
    for (const line of lines) {
      const count = line.split(separator).length - 1
      if (count > 0) linesByCount.set(count, (linesByCount.get(count) ?? 0) + 1)
    }
    return Math.max(0, ...linesByCount.values())
  }
  return separators.toSorted((a, z) => evenLines(z) - evenLines(a))[0] ?? ","
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
  const ends = new RegExp(`[\\${separator}\\r\\n]`, "g")
  let at = 0
  let trustsQuotes = true

  const readUnquoted = (): string => {
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
      const value = (readQuoted() ?? "") + readUnquoted()
      const endsRow = text[at] !== separator
      at += text.startsWith("\r\n", at) ? 2 : 1
      return { value, endsRow }
    },
  }
}

/** Separated values (RFC 4180); a separator that they do not declare is detected by default. */
export const readCsv = (source: string, defaultSeparator?: string): Block[] => {
  const [line = "", declared] = declaration.exec(source) ?? []
  const text = source.slice(line.length)
  const separator = declared ?? defaultSeparator ?? separatorOf(text)
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
  return sheetToBlocks(cells.length > 0 ? [...rows, { row: rows.length + 1, cells }] : rows)
}
