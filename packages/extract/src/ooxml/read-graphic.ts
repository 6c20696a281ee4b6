import type { Block, PassageLocation } from "../blocks.ts"
import type { Zip } from "../zip/zip.ts"
import { readDrawingText } from "./drawing-text.ts"
import { findChild, parseOfficeXml, type XmlElement } from "./office-xml.ts"
import { readChart } from "./read-chart.ts"
import { readDiagram } from "./read-diagram.ts"
import { readExtendedChart } from "./read-extended-chart.ts"
import { readRelationships } from "./relationships.ts"

/** Texts that were drawn over a chart. */
const readUserShapes = (zip: Zip, part: string, chartSpace: XmlElement): string[] => {
  const id = findChild(chartSpace, "userShapes")?.attributes["r:id"]
  if (!id) return []
  const target = readRelationships(zip, part).get(id)?.target ?? ""
  return [readDrawingText(parseOfficeXml(zip.readText(target)))]
}

const readLines = (zip: Zip, part: string): string[] => {
  const root = parseOfficeXml(zip.readText(part)).children.at(-1)
  if (root?.name === "dataModel") return readDiagram(root)
  if (root?.name !== "chartSpace") return []
  return findChild(root, "chartData")
    ? readExtendedChart(root)
    : [...readChart(root), ...readUserShapes(zip, part, root)]
}

/**
 * Blocks of the chart or SmartArt diagram that a drawing refers to with `c:chart`, `cx:chart` or
 * `dgm:relIds`; none for other elements.
 * @param element its name may have a namespace prefix
 * @param relationships those of the part with the element
 */
export const readReferencedGraphic = (
  zip: Zip,
  relationships: ReadonlyMap<string, { target: string }>,
  element: Pick<XmlElement, "name" | "attributes">,
  location: PassageLocation,
): Block[] => {
  const { name, attributes } = element
  const id = /(^|:)(chart|relIds)$/.test(name) ? (attributes["r:id"] ?? attributes["r:dm"]) : ""
  const target = relationships.get(id ?? "")?.target
  if (!target) return []
  return readLines(zip, target)
    .filter((line) => line.trim() !== "")
    .map((text) => ({ text, kind: "row", location }))
}
