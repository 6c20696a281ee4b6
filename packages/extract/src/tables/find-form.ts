import { cellKind } from "./cell-kind.ts"
import type { FilledCell } from "./table-row.ts"

const maxLabelLength = 60
/** Longer lists are tables rather than forms. */
export const maxFormRows = 30
/** Forms of texts only; longer ones are recognized by their kinds of values. */
const maxTextFormRows = 5

/** Whether a row holds one or two labels, each with its value. */
export const isPairRow = (cells: readonly FilledCell[]): boolean =>
  (cells.length === 2 || cells.length === 4) &&
  cells.every(
    ({ text }, at) => at % 2 === 1 || (text.length <= maxLabelLength && cellKind(text) === "text"),
  )

/** Kinds of the values in each of the two columns of values. */
const valueKinds = (rows: readonly FilledCell[][]): string[][] =>
  [1, 3].map((at) => rows.flatMap((cells) => (cells[at] ? [cellKind(cells[at].text)] : [])))

/** Whether the first of some values is a label over others of the same kind. */
const isOverValues = ([first, ...below]: readonly string[]): boolean =>
  new Set(below).size === 1 && below[0] !== "text" && below[0] !== first

/**
 * Whether rows are a form with two labels and their values beside each other, under its titles.
 * @param filled the filled cells of each row
 */
export const isTwoPairForm = (filled: readonly FilledCell[][]): boolean => {
  const rows = filled.filter(({ length }) => length > 1)
  const wide = rows.filter(({ length }) => length === 4)
  if (wide.length < 2 || rows.length > maxFormRows || !rows.every(isPairRow)) return false
  const labels = rows.flatMap((cells) => cells.filter((_cell, at) => at % 2 === 0))
  if (new Set(labels.map(({ text }) => text)).size < labels.length) return false
  if (labels.every(({ text }) => text.endsWith(":"))) return true
  const kinds = valueKinds(rows)
  if (kinds.some(isOverValues)) return false
  return rows.length <= maxTextFormRows || kinds.some((column) => new Set(column).size > 1)
}
