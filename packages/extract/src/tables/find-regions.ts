import { cellKind } from "./cell-kind.ts"
import { findHeader, headerSearchRows } from "./find-header.ts"
import { filledCells, filledColumns, sliceCells, type TableRow } from "./table-row.ts"

/** With more gaps between its columns, a band is one table. */
const maxColumnRuns = 20

/** Columns without a gap between them, and the rows in which they are filled. */
interface ColumnRun {
  first: number
  last: number
  firstRow: number
  lastRow: number
}

/** Splits rows with text where empty rows stand between them. */
export const splitAtEmptyRows = (rows: readonly TableRow[]): TableRow[][] => {
  const bands: TableRow[][] = []
  let previous: TableRow | undefined
  for (const row of rows) {
    const follows = previous !== undefined && row.row <= previous.row + 1
    if (follows) bands.at(-1)?.push(row)
    else bands.push([row])
    previous = row
  }
  return bands
}

interface RowExtent {
  firstRow: number
  lastRow: number
}

/** First and last row in which each column is filled; titles may span the gaps between tables. */
const extentsOf = (band: readonly TableRow[]): Map<number, RowExtent> => {
  const extents = new Map<number, RowExtent>()
  for (const row of band) {
    for (const column of filledColumns(row)) {
      if ((row.spans?.get(column) ?? 1) > 1) continue
      const extent = extents.get(column)
      if (extent) extent.lastRow = row.row
      else extents.set(column, { firstRow: row.row, lastRow: row.row })
    }
  }
  return extents
}

const columnRuns = (band: readonly TableRow[]): ColumnRun[] => {
  const runs: ColumnRun[] = []
  const extents = [...extentsOf(band)].sort(([a], [z]) => a - z)
  for (const [column, { firstRow, lastRow }] of extents) {
    const run = runs.at(-1)
    if (run && run.last + 1 === column) {
      run.last = column
      run.firstRow = Math.min(run.firstRow, firstRow)
      run.lastRow = Math.max(run.lastRow, lastRow)
    } else runs.push({ first: column, last: column, firstRow, lastRow })
  }
  return runs
}

const sliceColumns = (band: readonly TableRow[], first: number, last: number): TableRow[] =>
  band.flatMap((row) => {
    const cells = sliceCells(row, first, last)
    return cells.length > 0 ? [{ ...row, cells }] : []
  })

const startOf = (band: readonly TableRow[], { first, last }: ColumnRun): TableRow[] =>
  sliceColumns(band.slice(0, 3 * headerSearchRows), first, last).slice(0, headerSearchRows)

/** Whether columns after a gap are a table of their own: it has labels of rows and a header. */
const isOwnTable = (
  band: readonly TableRow[],
  left: readonly ColumnRun[],
  run: ColumnRun,
): boolean => {
  if (run.first === run.last || left.every(({ first, last }) => first === last)) return false
  const rows = startOf(band, run)
  const header = findHeader(rows)
  const [labels] = header ? rows.slice(header.end) : []
  const [label] = labels ? filledCells(labels) : []
  if (!header || !label || label.column !== run.first || cellKind(label.text) === "number") {
    return false
  }
  const names = new Set(filledCells(rows[header.end - 1] ?? { cells: [] }).map(({ text }) => text))
  const isAligned = left.some(
    ({ firstRow, lastRow }) => firstRow === run.firstRow && lastRow === run.lastRow,
  )
  const isRepeated = left.some((other) =>
    filledCells(startOf(band, other)[header.end - 1] ?? { cells: [] }).some(({ text }) =>
      names.has(text),
    ),
  )
  return !isAligned || isRepeated
}

/** Splits a band of rows into the tables that stand side by side in it. */
export const splitAtEmptyColumns = (band: readonly TableRow[]): (readonly TableRow[])[] => {
  const runs = columnRuns(band)
  if (runs.length === 1 || runs.length > maxColumnRuns) return [band]
  const tables: ColumnRun[][] = []
  for (const run of runs) {
    const left = tables.at(-1)
    if (!left || isOwnTable(band, left, run)) tables.push([run])
    else left.push(run)
  }
  if (tables.length < 2) return [band]
  return tables.map((table, index) => {
    const first = index === 0 ? 0 : (table[0]?.first ?? 0)
    const next = tables[index + 1]?.[0]?.first
    return sliceColumns(band, first, next === undefined ? Number.MAX_SAFE_INTEGER : next - 1)
  })
}
