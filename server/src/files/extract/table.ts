import type { Place } from "../place.ts"
import type { Block } from "./blocks.ts"

const longestHeader = 120

const looksLikeHeader = (
  cells: readonly string[],
  next: readonly string[] | undefined,
): boolean => {
  const filled = cells.filter((cell) => cell.trim() !== "")
  if (!next || filled.length < 2 || filled.length < next.filter(Boolean).length / 2) return false
  const words = filled.filter(
    (cell) => cell.length <= longestHeader && !/^[\d.,\s%€$-]+$/.test(cell),
  )
  return words.length === filled.length && new Set(filled).size === filled.length
}

/** Rows in which each value has its column's name with it, so that a passage speaks for itself. */
export const rowsToBlocks = (
  rows: readonly { row: number; cells: readonly string[] }[],
  place: Place = {},
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
    return { text: named.join(" | "), kind: "row", place: { ...place, row } }
  })
}

const separators = [",", ";", "\t", "|"]

/** The one that splits the first lines most evenly. */
const separatorOf = (text: string): string => {
  const lines = text.split(/\r?\n/, 20).filter(Boolean)
  const evenness = (separator: string): number => {
    const counts = lines.map((line) => line.split(separator).length - 1)
    const least = Math.min(...counts)
    return least > 0 ? least * 2 - (Math.max(...counts) - least) : 0
  }
  return separators.toSorted((a, z) => evenness(z) - evenness(a))[0] ?? ","
}

const field = (separator: string): RegExp => {
  const sign = separator === "|" ? "\\|" : separator
  return new RegExp(`(?:"((?:[^"]|"")*)"|([^${sign}\\r\\n]*))(${sign}|\\r?\\n|\\r|$)`, "gy")
}

/** Comma- or otherwise separated values (RFC 4180), the separator found by itself. */
export const readCsv = (text: string, separator = separatorOf(text)): Block[] => {
  const rows: { row: number; cells: string[] }[] = []
  let cells: string[] = []
  for (const [whole, quoted, plain, end] of text.matchAll(field(separator))) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? "")
    if (end === separator) continue
    rows.push({ row: rows.length + 1, cells })
    cells = []
    if (whole === "" || end === "") break
  }
  return rowsToBlocks(rows)
}
