import type { KnownTable } from "../sheet-to-blocks.ts"
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
      if (range) tables.push({ range, headerRows: Number(headerRowCount) })
    },
  })
  return tables
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
      const cells = row.cells.slice(0, lastColumn + 1).fill("", 0, firstColumn)
      row.cells.fill("", firstColumn, lastColumn + 1)
      return { ...row, cells }
    })
  return { rows: taken, headerRows }
}
