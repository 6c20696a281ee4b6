import type { Block } from "../blocks.ts"
import {
  findChildren,
  findDescendants,
  findPath,
  parseOfficeXml,
  type XmlElement,
} from "../ooxml/office-xml.ts"
import { readRelationships, relationshipId } from "../ooxml/relationships.ts"
import type { Zip } from "../zip/zip.ts"
import { readCommentAuthors } from "./read-comments.ts"
import { readSlide, type SlideReference } from "./read-slide.ts"
import { PlaceholderPositions } from "./shape-positions.ts"

const presentationPart = "ppt/presentation.xml"

/** Names of sections by the IDs of their slides; none for a single section (MS-PPTX, §2.3.7). */
const readSections = (presentation: XmlElement): Map<string, string> => {
  const sections = findDescendants(presentation, "section")
  if (sections.length < 2) return new Map()
  return new Map(
    sections.flatMap((section) =>
      findDescendants(section, "sldId").map(({ attributes }): [string, string] => [
        attributes.id ?? "",
        (section.attributes.name ?? "").trim().slice(0, 200),
      ]),
    ),
  )
}

const listSlides = (zip: Zip): SlideReference[] => {
  const presentation = parseOfficeXml(zip.readText(presentationPart))
  const relationships = readRelationships(zip, presentationPart)
  const sections = readSections(presentation)
  const sectionByPart = new Map<string, string>()
  const list = findPath(presentation, "presentation", "sldIdLst")
  for (const { attributes } of findChildren(list, "sldId")) {
    const part = relationships.get(relationshipId(attributes))?.target
    if (part) sectionByPart.set(part, sections.get(attributes.id ?? "") ?? "")
  }
  return [...sectionByPart].map(([part, section], index) => ({ part, section, number: index + 1 }))
}

/** PowerPoint: each slide with its notes and comments (ECMA-376 part 1, §19). */
export const readPptx = (zip: Zip): { blocks: Block[]; pages: number } => {
  const slides = listSlides(zip)
  const deck = {
    zip,
    positions: new PlaceholderPositions(zip),
    commentAuthors: readCommentAuthors(zip),
    footers: new Set<string>(),
  }
  return { blocks: slides.flatMap((slide) => readSlide(slide, deck)), pages: slides.length }
}
