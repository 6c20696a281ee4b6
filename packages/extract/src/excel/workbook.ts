import { findChild, findChildren, parseOfficeXml } from "../ooxml/office-xml.ts"
import { readRelationships, relationshipId } from "../ooxml/relationships.ts"
import type { Zip } from "../zip/zip.ts"

export interface WorkbookSheet {
  /** Path of the sheet's part. */
  part: string
  /** As users see it; hidden sheets are marked. */
  name: string
  /** Last of the rows that are printed on top of each page; 0 if there are none. */
  lastTitleRow: number
}

export interface Workbook {
  sheets: WorkbookSheet[]
  usesDates1904: boolean
  /** Paths of other parts by the type of their relationship, such as `styles`. */
  partsByType: Map<string, string>
}

const workbookPart = "xl/workbook.xml"
const maxDefinitionLength = 1000

/** Last row of a definition such as `'Price list'!$A:$B,'Price list'!$4:$5`. */
const lastRowOf = (definition: string): number => {
  const [, row = ""] = /\$\d+:\$(\d+)$/.exec(definition.trim().slice(-maxDefinitionLength)) ?? []
  return Number(row)
}

/** Reads the list of sheets and what applies to all of them (ECMA-376 part 1, §18.2). */
export const readWorkbook = (zip: Zip): Workbook => {
  const relationships = readRelationships(zip, workbookPart)
  const workbook = parseOfficeXml(zip.readText(workbookPart)).children.at(-1)
  const sheets = findChildren(findChild(workbook, "sheets"), "sheet").map(({ attributes }) => {
    const { name = "", state = "" } = attributes
    return {
      part: relationships.get(relationshipId(attributes))?.target ?? "",
      name: /hidden/i.test(state) ? `${name} (hidden)` : name,
      lastTitleRow: 0,
    }
  })
  for (const { attributes, text } of findChildren(
    findChild(workbook, "definedNames"),
    "definedName",
  )) {
    const sheet = sheets[Number(attributes.localSheetId)]
    if (sheet && attributes.name === "_xlnm.Print_Titles") sheet.lastTitleRow = lastRowOf(text)
  }
  const { date1904 = "" } = findChild(workbook, "workbookPr")?.attributes ?? {}
  const partsByType = new Map(
    [...relationships.values()].map(({ type, target }) => [type, target] as const),
  )
  return { sheets, usesDates1904: /^(1|true)$/.test(date1904), partsByType }
}
