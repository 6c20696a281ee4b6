import { getFormatFromId } from "numfmt"
import { findChild, parseOfficeXml, type XmlElement } from "../ooxml/office-xml.ts"
import type { Zip } from "../zip/zip.ts"
import { type NumberFormat, parseNumberFormat } from "./number-format.ts"

export interface CellStyle {
  format: NumberFormat
  /** Bold or on a filled background, as header rows are. */
  isEmphasized: boolean
}

const isOn = (element: XmlElement | undefined): boolean =>
  element !== undefined && !/^(0|false)$/.test(element.attributes.val ?? "")

const childrenOf = (root: XmlElement | undefined, list: string): XmlElement[] =>
  findChild(root, list)?.children ?? []

/** Codes that a workbook does not define are built in. */
const builtInCode = (id: number): string =>
  id > 0 && id < 59 ? getFormatFromId(id, "en") : "General"

/** The styles of cells by their index (ECMA-376 part 1, §18.8). */
export const readCellStyles = (zip: Zip, part: string): CellStyle[] => {
  const root = parseOfficeXml(zip.readText(part)).children.at(-1)
  const codes = new Map(
    childrenOf(root, "numFmts").map(({ attributes: { numFmtId = "", formatCode = "" } }) => [
      Number(numFmtId),
      formatCode,
    ]),
  )
  const isBold = childrenOf(root, "fonts").map((font) => isOn(findChild(font, "b")))
  const isSolid = childrenOf(root, "fills").map(
    (fill) => findChild(fill, "patternFill")?.attributes.patternType === "solid",
  )
  const formats = new Map<number, NumberFormat>()
  return childrenOf(root, "cellXfs").map(({ attributes: { numFmtId, fontId, fillId } }) => {
    const id = Number(numFmtId)
    const format = formats.get(id) ?? parseNumberFormat(codes.get(id) ?? builtInCode(id))
    formats.set(id, format)
    return { format, isEmphasized: Boolean(isBold[Number(fontId)] || isSolid[Number(fillId)]) }
  })
}
