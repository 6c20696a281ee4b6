/** A row of a table or a sheet. */
export interface TableRow {
  /** 1-based. */
  row: number
  /** Texts by column; empty or absent where a cell is empty. */
  cells: readonly string[]
  /** Whether the row looks like a header row; absent if the format has no styles. */
  isEmphasized?: boolean
  /** Number of columns of each horizontally merged cell, by its first column. */
  spans?: ReadonlyMap<number, number>
}

export interface FilledCell {
  column: number
  /** On one line. */
  text: string
}

const isFilled = (text: string | undefined): text is string =>
  text !== undefined && text !== "" && (text.charCodeAt(0) > 32 || text.trim() !== "")

/** Longer rows may have few cells, far apart. */
const maxDenseCells = 256

/** The columns of a row that have text. */
export const filledColumns = ({ cells }: Pick<TableRow, "cells">): number[] => {
  if (cells.length > maxDenseCells) {
    return Object.keys(cells)
      .map(Number)
      .filter((column) => isFilled(cells[column]))
  }
  const columns: number[] = []
  for (let column = 0; column < cells.length; column++) {
    if (isFilled(cells[column])) columns.push(column)
  }
  return columns
}

export const hasText = (row: Pick<TableRow, "cells">): boolean => filledColumns(row).length > 0

/** A row's cells in a range of columns; the others are empty. */
export const sliceCells = (
  row: Pick<TableRow, "cells">,
  firstColumn: number,
  lastColumn: number,
): string[] => {
  const cells: string[] = []
  for (const column of filledColumns(row)) {
    if (column >= firstColumn && column <= lastColumn) cells[column] = row.cells[column] ?? ""
  }
  return cells
}

const needsCleaning = /^\s|\s$|\s\s|[^\S ]/

/** The cells of a row that have text. */
export const filledCells = (row: Pick<TableRow, "cells">): FilledCell[] =>
  filledColumns(row).map((column) => {
    const text = row.cells[column] ?? ""
    return { column, text: needsCleaning.test(text) ? text.replace(/\s+/g, " ").trim() : text }
  })
