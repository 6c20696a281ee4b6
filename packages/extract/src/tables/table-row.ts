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

export const hasText = ({ cells }: Pick<TableRow, "cells">): boolean => cells.some(isFilled)

/** The columns of a row that have text. */
export const filledColumns = ({ cells }: Pick<TableRow, "cells">): number[] => {
  const columns: number[] = []
  for (let column = 0; column < cells.length; column++) {
    if (isFilled(cells[column])) columns.push(column)
  }
  return columns
}

const needsCleaning = /^\s|\s$|\s\s|[^\S ]/

/** The cells of a row that have text. */
export const filledCells = (row: Pick<TableRow, "cells">): FilledCell[] =>
  filledColumns(row).map((column) => {
    const text = row.cells[column] ?? ""
    return { column, text: needsCleaning.test(text) ? text.replace(/\s+/g, " ").trim() : text }
  })
