import type { Block, PassageLocation } from "../blocks.ts"
import { readDrawingParagraphs } from "../ooxml/drawing-text.ts"
import {
  findChild,
  findPath,
  isFalse,
  parseOfficeXml,
  type XmlElement,
} from "../ooxml/office-xml.ts"
import { readReferencedGraphic } from "../ooxml/read-graphic.ts"
import { readRelationships } from "../ooxml/relationships.ts"
import { isPageNumber } from "../page-number.ts"
import type { Zip } from "../zip/zip.ts"
import { readComments } from "./read-comments.ts"
import { readSlideTable } from "./read-slide-table.ts"
import { listShapes } from "./reading-order.ts"
import { ownPosition, type PlaceholderPositions } from "./shape-positions.ts"
import { readPictureDescription, roleOf } from "./slide-shapes.ts"

const maxHeadingLength = 200

export interface SlideReference {
  part: string
  /** 1-based. */
  number: number
  section: string
}

/** What the slides of a deck share. */
export interface Deck {
  zip: Zip
  positions: PlaceholderPositions
  commentAuthors: ReadonlyMap<string, string>
  /** Footers of earlier slides, which are not read again. */
  footers: Set<string>
}

interface SlideContext {
  deck: Deck
  relationships: ReadonlyMap<string, { type: string; target: string }>
  location: PassageLocation
}

const readTextBody = (shape: XmlElement): string[] =>
  readDrawingParagraphs(findChild(shape, "txBody")).map(
    ({ text, level }) => "  ".repeat(level) + text,
  )

const toBlocks = (
  lines: readonly string[],
  kind: Block["kind"],
  location: PassageLocation,
): Block[] => lines.map((text) => ({ text, kind, location }))

/** What no earlier slide has of a footer, without page numbers and the date of the presentation. */
const readFooter = (shape: XmlElement, { footers }: Deck): string[] => {
  const paragraphs = readDrawingParagraphs(findChild(shape, "txBody"), { showsFields: false })
  const text = paragraphs.map((paragraph) => paragraph.text).join(" ")
  const isNumber = roleOf(shape) !== "date" && isPageNumber(text)
  if (text === "" || isNumber || footers.has(text)) return []
  footers.add(text)
  return [text]
}

const readGraphicFrame = (frame: XmlElement, context: SlideContext): Block[] => {
  const { deck, relationships, location } = context
  const graphics = findPath(frame, "graphic", "graphicData")?.children ?? []
  return graphics.flatMap((graphic) =>
    graphic.name === "tbl"
      ? readSlideTable(graphic, location)
      : readReferencedGraphic(deck.zip, relationships, graphic, location),
  )
}

const readShapeLines = (shape: XmlElement, deck: Deck): string[] => {
  const role = roleOf(shape)
  if (role === "slide number" || role === "footer" || role === "date") {
    return readFooter(shape, deck)
  }
  return shape.name === "pic" ? readPictureDescription(shape) : readTextBody(shape)
}

const readShape = (shape: XmlElement, context: SlideContext): Block[] =>
  shape.name === "graphicFrame"
    ? readGraphicFrame(shape, context)
    : toBlocks(readShapeLines(shape, context.deck), "row", context.location)

const partsOfType = ({ relationships }: SlideContext, wanted: string): string[] =>
  [...relationships.values()].flatMap(({ type, target }) => (type === wanted ? [target] : []))

const readNotesPart = (part: string, { deck, location }: SlideContext): Block[] => {
  const context = { deck, location, relationships: readRelationships(deck.zip, part) }
  return listShapes(parseOfficeXml(deck.zip.readText(part)), ownPosition)
    .filter((shape) => roleOf(shape) === "content")
    .flatMap((shape) => readShape(shape, context))
    .map((block) => ({ ...block, kind: "paragraph" }))
}

const readNotes = (context: SlideContext): Block[] =>
  partsOfType(context, "notesSlide").flatMap((part) => readNotesPart(part, context))

const readSlideComments = (context: SlideContext): Block[] => {
  const { deck, location } = context
  return partsOfType(context, "comments").flatMap((part) =>
    readComments(deck.zip.readText(part), deck.commentAuthors, location),
  )
}

const readTitle = (shape: XmlElement): string =>
  readTextBody(shape).join(" ").replace(/\s+/g, " ").trim()

/** A slide: its title, the other shapes, the speaker's notes, and comments. */
export const readSlide = ({ part, number, section }: SlideReference, deck: Deck): Block[] => {
  const root = parseOfficeXml(deck.zip.readText(part))
  const relationships = readRelationships(deck.zip, part)
  const layout = [...relationships.values()].find(({ type }) => type === "slideLayout")?.target
  const shapes = listShapes(root, (shape) => deck.positions.positionOf(shape, layout))
  const titleShape = shapes.find((shape) => roleOf(shape) === "title" && readTitle(shape) !== "")
  const title = titleShape ? readTitle(titleShape) : ""
  const heading = [section, title.slice(0, maxHeadingLength)].filter(Boolean)
  const location = { slide: number, ...(heading.length > 0 && { heading }) }
  const context = { deck, relationships, location }
  const isHidden = isFalse(findChild(root, "sld")?.attributes.show)
  return [
    ...toBlocks(title ? [title] : [], "heading", location),
    ...toBlocks(isHidden ? ["Hidden slide"] : [], "row", location),
    ...shapes.filter((shape) => shape !== titleShape).flatMap((shape) => readShape(shape, context)),
    ...readNotes(context),
    ...readSlideComments(context),
  ]
}
