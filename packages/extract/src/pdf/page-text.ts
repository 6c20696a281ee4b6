import type { Block } from "../blocks.ts"
import { separateColumns } from "./columns.ts"
import { withoutRepeatedHeaders } from "./headers-and-footers.ts"
import type { PdfPage } from "./open-pdf.ts"
import { paragraphsOf } from "./paragraphs.ts"
import { partsOfPage, textOfRow } from "./tables.ts"
import { linesOf, type TextLine } from "./text-lines.ts"
import { readTextRuns, type TextItem } from "./text-runs.ts"

/** The text layer of a page. */
export interface PageText {
  page: number
  /** In characters, without added items. */
  length: number
  lines: TextLine[]
}

/** @param addItems inserts more items, such as form fields, each beside the items of its line */
export const readPageText = async (
  sheet: PdfPage,
  addItems: (items: TextItem[]) => TextItem[] = (items) => items,
): Promise<PageText> => {
  let length = 0
  const runs = await readTextRuns(sheet, (items) => {
    length = items.reduce((sum, { str }) => sum + str.trim().length, 0)
    return addItems(items)
  })
  return { page: sheet.pageNumber, length, lines: linesOf(runs) }
}

const blocksOfPage = ({ page, lines }: Pick<PageText, "page" | "lines">): Block[] =>
  partsOfPage(separateColumns(lines)).flatMap((part): Block[] =>
    "rows" in part
      ? part.rows.map((row) => ({ text: textOfRow(row), kind: "row", location: { page } }))
      : paragraphsOf(part.lines).map((text) => ({ text, kind: "paragraph", location: { page } })),
  )

/** The paragraphs and tables of each page, in the order of the pages. */
export const blocksOfPages = (pages: readonly PageText[]): Block[][] =>
  withoutRepeatedHeaders(pages).map(blocksOfPage)
