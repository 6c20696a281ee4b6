import type { Block, PassageLocation } from "../blocks.ts"
import { readDrawingParagraphs } from "../ooxml/drawing-text.ts"
import { findDescendants, findPath, parseOfficeXml, type XmlElement } from "../ooxml/office-xml.ts"
import { readReferencedGraphic } from "../ooxml/read-graphic.ts"
import { readRelationships } from "../ooxml/relationships.ts"
import type { Zip } from "../zip/zip.ts"

const graphicElements = ["chart", "relIds"]

const readText = (anchor: XmlElement, location: PassageLocation): Block[] =>
  findDescendants(anchor, "txBody").flatMap((textBody) => {
    const text = readDrawingParagraphs(textBody)
      .map((paragraph) => paragraph.text)
      .join("\n")
    return text === "" ? [] : [{ text, kind: "paragraph", location }]
  })

/** Text boxes, charts and diagrams that lie on a sheet (ECMA-376 part 1, §20.5). */
export const readDrawing = (zip: Zip, part: string, location: PassageLocation): Block[] => {
  const [root] = parseOfficeXml(zip.readText(part)).children
  const relationships = readRelationships(zip, part)
  return (root?.children ?? []).flatMap((anchor) => {
    const row = Number(findPath(anchor, "from", "row")?.text ?? Number.NaN)
    const place = Number.isInteger(row) ? { ...location, row: row + 1 } : location
    const graphics = graphicElements.flatMap((name) => findDescendants(anchor, name))
    return [
      ...readText(anchor, place),
      ...graphics.flatMap((graphic) => readReferencedGraphic(zip, relationships, graphic, place)),
    ]
  })
}
