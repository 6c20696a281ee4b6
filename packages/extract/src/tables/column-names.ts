import { filledCells, type TableRow } from "./table-row.ts"

/** Columns further to the right have no names but their own labels. */
const maxGroupedColumns = 500

/** Labels of one header row by column; a label that groups columns belongs to each of them. */
const labelsOf = (row: TableRow, columns: number, groups: boolean): Map<number, string> => {
  const labels = new Map<number, string>()
  const cells = filledCells(row)
  for (const [at, { column, text }] of cells.entries()) {
    labels.set(column, text)
    const end = row.spans ? column + (row.spans.get(column) ?? 1) : columns
    const next = Math.min(cells[at + 1]?.column ?? columns, end, columns, maxGroupedColumns)
    for (let grouped = column + 1; groups && grouped < next; grouped++) labels.set(grouped, text)
  }
  return labels
}

/** Names of a table's columns, such as "2024 / Q1" under a header of two rows. */
export const columnNames = (header: readonly TableRow[]): Map<number, string> => {
  const lowest = header.at(-1)
  const columns = Math.max(0, ...header.map(({ cells }) => cells.length))
  const parts = new Map<number, string[]>()
  for (const row of header) {
    for (const [column, label] of labelsOf(row, columns, row !== lowest)) {
      const above = parts.get(column) ?? []
      if (label !== above.at(-1)) parts.set(column, [...above, label])
    }
  }
  return new Map([...parts].map(([column, labels]) => [column, labels.join(" / ")]))
}
