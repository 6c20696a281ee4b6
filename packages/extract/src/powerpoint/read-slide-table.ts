import type { Block, PassageLocation } from "../blocks.ts"
import { readDrawingText } from "../ooxml/drawing-text.ts"
import {
  findChild,
  findChildren,
  findDescendants,
  isTrue,
  type XmlElement,
} from "../ooxml/office-xml.ts"
import { rowsToBlocks } from "../rows-to-blocks.ts"
import type { TableRow } from "../tables/table-row.ts"

/** Longer texts of merged cells are not repeated in each row that they cover. */
const maxRepeatedLength = 200

/** Covered cells stand in the table too, so that columns need no counting (ECMA-376 part 1, §21.1.3). */
const readCells = (row: XmlElement, above: readonly string[]): string[] =>
  findChildren(row, "tc").map((cell, column) => {
    const text = readDrawingText(cell)
    const covering = above[column] ?? ""
    const isCovered = isTrue(cell.attributes.vMerge)
    return isCovered && text === "" && covering.length <= maxRepeatedLength ? covering : text
  })

const isBold = (cell: XmlElement): boolean => {
  const runs = findDescendants(cell, "r")
  return runs.length > 0 && runs.every((run) => isTrue(findChild(run, "rPr")?.attributes.b))
}

const isFilled = (cell: XmlElement): boolean =>
  findChild(findChild(cell, "tcPr"), "solidFill") !== undefined

const isEmphasized = (row: XmlElement): boolean =>
  findChildren(row, "tc")
    .filter((cell) => readDrawingText(cell) !== "")
    .every((cell) => isBold(cell) || isFilled(cell))

const readSpans = (row: XmlElement): Map<number, number> =>
  new Map(
    findChildren(row, "tc").flatMap(({ attributes }, column): [number, number][] => {
      const columns = Number(attributes.gridSpan) || 1
      return columns > 1 ? [[column, columns]] : []
    }),
  )

/** The rows of an `a:tbl`, each value with the name of its column. */
export const readSlideTable = (table: XmlElement, location: PassageLocation): Block[] => {
  // Tables have a header row by default, even forms of two columns.
  const hasHeader = isTrue(findChild(table, "tblPr")?.attributes.firstRow)
  const rows: (TableRow & { cells: string[] })[] = []
  for (const row of findChildren(table, "tr")) {
    const isOnlyCovered = findChildren(row, "tc").every(({ attributes }) =>
      isTrue(attributes.vMerge),
    )
    if (isOnlyCovered) continue
    const cells = readCells(row, rows.at(-1)?.cells ?? [])
    rows.push({
      row: rows.length + 1,
      cells,
      isEmphasized: (hasHeader && rows.length === 0 && cells.length > 2) || isEmphasized(row),
      spans: readSpans(row),
    })
  }
  return rowsToBlocks(rows).map((block) => ({ ...block, location }))
}
