import type { KnownTable } from "../sheet-to-blocks.ts"
import { filledColumns, sliceCells } from "../tables/table-row.ts"
import type { Zip } from "../zip/zip.ts"
import { type CellRange, parseRange } from "./cell-reference.ts"
import type { SheetRow } from "./fill-merged-cells.ts"
import { walkPart } from "./walk-part.ts"

interface TableRange {
  range: CellRange
  headerRows: number
}

/** Where a table of a sheet is (ECMA-376 part 1, §18.5). */
export const readTableRange = (zip: Zip, part: string): TableRange[] => {
  const tables: TableRange[] = []
  walkPart(zip.readText(part), {
    open: (name, { ref = "", headerRowCount = "1" }) => {
      const range = name === "table" ? parseRange(ref) : null
      if (range) tables.push({ range, headerRows: Math.max(0, Number(headerRowCount) || 0) })
    },
  })
  return tables
}

const overlap = (a: CellRange, z: CellRange): boolean =>
  a.firstRow <= z.lastRow &&
  z.firstRow <= a.lastRow &&
  a.firstColumn <= z.lastColumn &&
  z.firstColumn <= a.lastColumn

/** At most `limit` tables, none of which overlaps an earlier one. */
export const withoutOverlaps = (tables: readonly TableRange[], limit: number): TableRange[] => {
  const kept: TableRange[] = []
  for (const table of tables.slice(0, limit)) {
    if (!kept.some(({ range }) => overlap(range, table.range))) kept.push(table)
  }
  return kept
}

/** Takes the cells of a table out of the rows of its sheet. */
export const takeTable = (
  rows: readonly SheetRow[],
  { range, headerRows }: TableRange,
): KnownTable => {
  const { firstRow, lastRow, firstColumn, lastColumn } = range
  const taken = rows
    .filter(({ row }) => row >= firstRow && row <= lastRow)
    .map((row) => {
      const cells = sliceCells(row, firstColumn, lastColumn)
      for (const column of filledColumns({ cells })) row.cells[column] = ""
      return { ...row, cells }
    })
  return { rows: taken, headerRows }
}
