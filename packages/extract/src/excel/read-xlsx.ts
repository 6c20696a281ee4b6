import type { Block } from "../blocks.ts"
import { readRelationships } from "../ooxml/relationships.ts"
import { sheetToBlocks } from "../sheet-to-blocks.ts"
import type { Zip } from "../zip/zip.ts"
import { readCellStyles } from "./cell-styles.ts"
import { fillMergedCells } from "./fill-merged-cells.ts"
import { addComments, readNotes, readPeople, readThreadedComments } from "./read-comments.ts"
import { readDrawing } from "./read-drawing.ts"
import { readTableRange, takeTable, withoutOverlaps } from "./read-tables.ts"
import { type CellContext, readWorksheet, type Worksheet } from "./read-worksheet.ts"
import { readSharedStrings } from "./shared-strings.ts"
import { readWorkbook, type WorkbookSheet } from "./workbook.ts"

const maxTables = 200

/** Rows that are headers by the sheet's own account. */
const headerRowsOf = (
  { autoFilter, frozenRows, rows }: Worksheet,
  { lastTitleRow }: WorkbookSheet,
): Set<number> => {
  const frozen = rows.findLast(({ row }) => row <= frozenRows)
  return new Set([autoFilter?.firstRow ?? 0, frozen?.row ?? 0, lastTitleRow])
}

/** Reads sheets in their order, with all that lies on them. */
class SheetReader {
  readonly #zip: Zip
  readonly #cells: CellContext
  readonly #people: ReadonlyMap<string, string>

  constructor(zip: Zip, cells: CellContext, people: ReadonlyMap<string, string>) {
    this.#zip = zip
    this.#cells = cells
    this.#people = people
  }

  read(sheet: WorkbookSheet): Block[] {
    const zip = this.#zip
    const location = { sheet: sheet.name }
    const related = [...readRelationships(zip, sheet.part).values()]
    const partsOf = (type: string): string[] =>
      related.flatMap((relationship) => (relationship.type === type ? [relationship.target] : []))

    const worksheet = readWorksheet(zip.readText(sheet.part), this.#cells)
    const { rows, merged } = worksheet
    fillMergedCells(rows, merged)
    const ranges = partsOf("table").flatMap((part) => readTableRange(zip, part))
    const tables = withoutOverlaps(ranges, maxTables).map((table) => takeTable(rows, table))
    const headerRows = headerRowsOf(worksheet, sheet)
    const comments = [
      ...partsOf("comments").flatMap((part) => readNotes(zip, part)),
      ...partsOf("threadedComment").flatMap((part) =>
        readThreadedComments(zip, part, this.#people),
      ),
    ]
    const blocks = sheetToBlocks(rows, location, { headerRows, tables })
    return [
      ...addComments(blocks, comments, location),
      ...partsOf("drawing").flatMap((part) => readDrawing(zip, part, location)),
    ]
  }
}

/** Excel: cells as the sheet shows them, each with its column's name (ECMA-376 part 1, §18). */
export const readXlsx = (zip: Zip): { blocks: Block[]; pages: number } => {
  const { sheets, partsByType, usesDates1904 } = readWorkbook(zip)
  const strings = readSharedStrings(zip, partsByType.get("sharedStrings") ?? "xl/sharedStrings.xml")
  const styles = readCellStyles(zip, partsByType.get("styles") ?? "xl/styles.xml")
  const people = readPeople(zip, partsByType.get("person") ?? "")
  const reader = new SheetReader(zip, { strings, styles, usesDates1904 }, people)
  const blocks = sheets.flatMap((sheet) => reader.read(sheet))
  return { blocks, pages: sheets.length }
}
