import type { TableRow } from "./table-row.ts"

const oneLine = (text: string | undefined): string => text?.replace(/\s+/g, " ").trim() ?? ""

/** Labels of one header row by column; a label that groups columns belongs to each of them. */
const labelsOf = ({ cells, spans }: TableRow, columns: number, groups: boolean): string[] => {
  const labels: string[] = []
  let label = ""
  let last = -1
  for (let column = 0; column < columns; column++) {
    const own = oneLine(cells[column])
    if (own !== "") {
      label = own
      last = spans ? column + (spans.get(column) ?? 1) - 1 : columns
    }
    labels.push(own !== "" || (groups && column <= last) ? label : "")
  }
  return labels
}

/**
 * Names of a table's columns, such as "2024 / Q1" under a header of two rows.
 * @returns empty names for columns without a label
 */
export const columnNames = (header: readonly TableRow[]): string[] => {
  const lowest = header.at(-1)
  const columns = Math.max(0, ...header.map(({ cells }) => cells.length))
  const labels = header.map((row) => labelsOf(row, columns, row !== lowest))
  return Array.from({ length: columns }, (_, column) => {
    const parts = labels.map((row) => row[column] ?? "").filter(Boolean)
    return parts.filter((part, at) => part !== parts[at - 1]).join(" / ")
  })
}
