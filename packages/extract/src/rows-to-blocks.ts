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

/** Formats each value with its column's name, so that passages need no header. */
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
