import type { CellRange } from "./cell-reference.ts"

/** Longer texts apply to their rows as a whole and are not repeated in each of them. */
const maxRepeatedLength = 200
/** Limits on all that repeating looks at and adds in one sheet. */
const maxVisitedRows = 2_000_000
const maxRepeatedCharacters = 2_000_000

export interface SheetRow {
  row: number
  cells: string[]
  isEmphasized: boolean
  spans?: Map<number, number>
}

const indexOfRow = (rows: readonly SheetRow[], row: number): number => {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle]?.row ?? 0) < row) low = middle + 1
    else high = middle
  }
  return low
}

class MergedCellFiller {
  readonly #rows: readonly SheetRow[]
  #visited = 0
  #repeated = 0

  constructor(rows: readonly SheetRow[]) {
    this.#rows = rows
  }

  isDone(): boolean {
    return this.#visited >= maxVisitedRows || this.#repeated >= maxRepeatedCharacters
  }

  fill({ firstRow, lastRow, firstColumn, lastColumn }: CellRange): void {
    const from = indexOfRow(this.#rows, firstRow)
    const first = this.#rows[from]
    const text = first?.row === firstRow ? first.cells[firstColumn] : undefined
    if (!text) return
    const last = text.length > maxRepeatedLength ? firstRow : lastRow
    for (let at = from; !this.isDone(); at++) {
      const row = this.#rows[at]
      if (!row || row.row > last) return
      this.#visited++
      if (row !== first) this.#repeated += text.length
      row.cells[firstColumn] ??= text
      if (lastColumn === firstColumn) continue
      row.spans ??= new Map()
      row.spans.set(firstColumn, lastColumn - firstColumn + 1)
    }
  }
}

/**
 * Records in each row which cells span columns, and repeats a cell that spans rows in each of them
 * that has text.
 * @param rows in ascending order
 */
export const fillMergedCells = (rows: readonly SheetRow[], merged: readonly CellRange[]): void => {
  const filler = new MergedCellFiller(rows)
  for (const range of merged) {
    if (filler.isDone()) return
    filler.fill(range)
  }
}
