/** A cell or a range of cells, both ends included. */
export interface CellRange {
  /** 1-based. */
  firstRow: number
  lastRow: number
  /** 0-based. */
  firstColumn: number
  lastColumn: number
}

export const maxColumns = 16_384

/** 0-based column of a reference such as `AB12`; -1 if it has no letters. */
export const columnOf = (reference: string): number => {
  let column = 0
  for (let at = 0; at < 3; at++) {
    const code = reference.charCodeAt(at)
    if (!(code >= 65 && code <= 90)) break
    column = column * 26 + code - 64
  }
  return column - 1
}

const rangeForm = /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/

/** Parses a reference such as `B3` or `B3:D7`. @returns null for anything else */
export const parseRange = (reference: string): CellRange | null => {
  const match = rangeForm.exec(reference)
  if (!match) return null
  const [, column = "", row = "", lastColumn = column, lastRow = row] = match
  return {
    firstRow: Number(row),
    lastRow: Number(lastRow),
    firstColumn: columnOf(column),
    lastColumn: columnOf(lastColumn),
  }
}
