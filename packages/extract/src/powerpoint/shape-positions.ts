import { findChild, findDescendants, parseOfficeXml, type XmlElement } from "../ooxml/office-xml.ts"
import { readRelationships } from "../ooxml/relationships.ts"
import type { Zip } from "../zip/zip.ts"
import { placeholderOf } from "./slide-shapes.ts"

/** In English Metric Units. */
export interface ShapePosition {
  left: number
  top: number
  height: number
}

const positionIn = (shape: XmlElement): ShapePosition | undefined => {
  const properties = shape.children.find(({ name }) => name === "spPr" || name === "grpSpPr")
  const transform = findChild(properties ?? shape, "xfrm")
  const offset = findChild(transform, "off")?.attributes
  if (!offset) return undefined
  const { cy } = findChild(transform, "ext")?.attributes ?? {}
  return { left: Number(offset.x) || 0, top: Number(offset.y) || 0, height: Number(cy) || 0 }
}

/** The position that a shape states itself; otherwise the upper left corner. */
export const ownPosition = (shape: XmlElement): ShapePosition =>
  positionIn(shape) ?? { left: 0, top: 0, height: 0 }

/** Keys of a placeholder in the order in which its position is looked up. */
const placeholderKeys = (shape: XmlElement): string[] => {
  const { type, index } = placeholderOf(shape) ?? { type: "", index: undefined }
  if (type === "") return []
  return index === undefined ? [type] : [`#${index}`, type]
}

/** Positions of the placeholders of layouts and of the slide masters that they inherit from. */
export class PlaceholderPositions {
  readonly #zip: Zip
  readonly #positionsByLayout = new Map<string, Map<string, ShapePosition>>()

  constructor(zip: Zip) {
    this.#zip = zip
  }

  /** @param layout the part of the slide's layout */
  positionOf(shape: XmlElement, layout: string | undefined): ShapePosition {
    const inherited = layout ? this.#read(layout) : new Map<string, ShapePosition>()
    const key = placeholderKeys(shape).find((candidate) => inherited.has(candidate)) ?? ""
    return positionIn(shape) ?? inherited.get(key) ?? ownPosition(shape)
  }

  #read(part: string): Map<string, ShapePosition> {
    const known = this.#positionsByLayout.get(part)
    if (known) return known
    const positions = new Map<string, ShapePosition>()
    this.#positionsByLayout.set(part, positions)
    const masters = [...readRelationships(this.#zip, part).values()].filter(
      ({ type }) => type === "slideMaster",
    )
    for (const { target } of masters) {
      for (const [key, position] of this.#read(target)) positions.set(key, position)
    }
    const layout = parseOfficeXml(this.#zip.readText(part))
    for (const shape of findDescendants(layout, "sp")) {
      const position = positionIn(shape)
      for (const key of placeholderKeys(shape)) if (position) positions.set(key, position)
    }
    return positions
  }
}
