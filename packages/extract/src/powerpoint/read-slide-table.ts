import type { Block, PassageLocation } from "../blocks.ts"
import { readDrawingText } from "../ooxml/drawing-text.ts"
import { findChildren, isTrue, type XmlElement } from "../ooxml/office-xml.ts"
import { rowsToBlocks } from "../rows-to-blocks.ts"

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

/** The rows of an `a:tbl`, each value with the name of its column. */
export const readSlideTable = (table: XmlElement, location: PassageLocation): Block[] => {
  const rows: { row: number; cells: string[] }[] = []
  for (const row of findChildren(table, "tr")) {
    const isOnlyCovered = findChildren(row, "tc").every(({ attributes }) =>
      isTrue(attributes.vMerge),
    )
    if (isOnlyCovered) continue
    rows.push({ row: rows.length + 1, cells: readCells(row, rows.at(-1)?.cells ?? []) })
  }
  return rowsToBlocks(rows).map((block) => ({ ...block, location }))
}
