import { findDescendants, type XmlElement } from "../ooxml/office-xml.ts"
import type { ShapePosition } from "./shape-positions.ts"

type PositionOf = (shape: XmlElement) => ShapePosition

const shapeNames = new Set(["sp", "pic", "graphicFrame", "grpSp"])

interface PositionedShape {
  shape: XmlElement
  position: ShapePosition
}

/** Whether two shapes stand side by side: their tops differ by less than half of the smaller one. */
const isSameRow = ({ position: a }: PositionedShape, { position: z }: PositionedShape): boolean =>
  Math.abs(a.top - z.top) <= Math.min(a.height, z.height) / 2

/** From top to bottom, and within a row from left to right. */
const sortByPosition = (shapes: readonly XmlElement[], positionOf: PositionOf): XmlElement[] => {
  const rows: [PositionedShape, ...PositionedShape[]][] = []
  const byTop = shapes
    .map((shape) => ({ shape, position: positionOf(shape) }))
    .toSorted((a, z) => a.position.top - z.position.top)
  for (const one of byTop) {
    const row = rows.at(-1)
    if (row && isSameRow(row[0], one)) row.push(one)
    else rows.push([one])
  }
  return rows.flatMap((row) =>
    row.toSorted((a, z) => a.position.left - z.position.left).map(({ shape }) => shape),
  )
}

/**
 * The shapes with content on a slide or on its notes, groups dissolved. A group stands at its own
 * position, with its shapes next to each other.
 */
export const listShapes = (slide: XmlElement, positionOf: PositionOf): XmlElement[] => {
  const shapes: XmlElement[] = []
  const stack = findDescendants(slide, "spTree")
  for (let element = stack.pop(); element; element = stack.pop()) {
    if (element.name === "grpSp" || element.name === "spTree") {
      const children = element.children.filter(({ name }) => shapeNames.has(name))
      for (const child of sortByPosition(children, positionOf).reverse()) stack.push(child)
    } else shapes.push(element)
  }
  return shapes
}
