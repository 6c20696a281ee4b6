import { createZip } from "./make-documents.ts"

type PartsByPath = Record<string, string>

/** Relationships of a part by ID, each with its type and its target. */
type RelationshipsById = Record<string, [type: string, target: string]>

export interface SlideContent {
  /** XML of the shapes. */
  shapes: string
  /** Attributes of the slide, such as `show="0"`. */
  attributes?: string
  relationships?: RelationshipsById
}

const relationshipsXml = (relationships: RelationshipsById): string =>
  `<Relationships>${Object.entries(relationships)
    .map(([id, [type, target]]) => `<Relationship Id="${id}" Type="x/${type}" Target="${target}"/>`)
    .join("")}</Relationships>`

/** `at` is its distance from the left and from the top. */
export const textShape = (
  paragraphs: string | string[],
  { placeholder = "", at = [] as number[], level = 0 } = {},
): string => {
  const [left, top] = at
  const place =
    at.length > 0 ? `<a:xfrm><a:off x="${left}" y="${top}"/><a:ext cx="90" cy="20"/></a:xfrm>` : ""
  const body = [paragraphs]
    .flat()
    .map((text) => `<a:p><a:pPr lvl="${level}"/><a:r><a:t>${text}</a:t></a:r></a:p>`)
  return `<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:nvPr>${placeholder && `<p:ph type="${placeholder}"/>`}</p:nvPr></p:nvSpPr>
    <p:spPr>${place}</p:spPr><p:txBody><a:bodyPr/>${body.join("")}</p:txBody></p:sp>`
}

export const graphicFrame = (graphic: string): string =>
  `<p:graphicFrame><p:nvGraphicFramePr/><a:graphic><a:graphicData>${graphic}</a:graphicData></a:graphic></p:graphicFrame>`

/** Each cell is its text, or the text and its attributes. */
export const slideTable = (rows: (string | [text: string, attributes: string])[][]): string => {
  const cell = (content: string | [string, string]) => {
    const [text, attributes] = typeof content === "string" ? [content, ""] : content
    return `<a:tc ${attributes}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`
  }
  const body = rows.map((cells) => `<a:tr>${cells.map(cell).join("")}</a:tr>`)
  return graphicFrame(`<a:tbl><a:tblPr firstRow="1"/>${body.join("")}</a:tbl>`)
}

const slideXml = (name: string, { shapes, attributes = "" }: SlideContent): string =>
  `<p:${name} ${attributes}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${name}>`

export const notesXml = (shapes: string): string => slideXml("notes", { shapes })

interface DeckContent {
  extra?: PartsByPath
  /** XML after the list of slides. */
  properties?: string
  relationships?: RelationshipsById
}

/** Slides have the part names `ppt/slides/slide1.xml` and so on. */
export const createDeck = (
  slides: readonly SlideContent[],
  { extra = {}, properties = "", relationships = {} }: DeckContent = {},
): Buffer => {
  const numbers = slides.map((_slide, index) => index + 1)
  const ids = numbers.map((number) => `<p:sldId id="${255 + number}" r:id="s${number}"/>`)
  const slideRelationships: RelationshipsById = Object.fromEntries(
    numbers.map((number) => [`s${number}`, ["slide", `slides/slide${number}.xml`]]),
  )
  return createZip({
    "ppt/presentation.xml": `<p:presentation><p:sldIdLst>${ids.join("")}</p:sldIdLst>${properties}</p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relationshipsXml({
      ...slideRelationships,
      ...relationships,
    }),
    ...Object.fromEntries(
      slides.flatMap((slide, index) => [
        [`ppt/slides/slide${index + 1}.xml`, slideXml("sld", slide)],
        [
          `ppt/slides/_rels/slide${index + 1}.xml.rels`,
          relationshipsXml(slide.relationships ?? {}),
        ],
      ]),
    ),
    ...extra,
  })
}

/** Each of the two slides is in a section of its own. */
export const createDeckWithSections = (): Buffer => {
  const section = (name: string, id: number) =>
    `<p14:section name="${name}"><p14:sldIdLst><p14:sldId id="${id}"/></p14:sldIdLst></p14:section>`
  const title = (text: string) => ({ shapes: textShape(text, { placeholder: "title" }) })
  return createDeck([title("Honey"), title("Feeding the bees")], {
    properties: `<p:extLst><p:ext><p14:sectionLst>${section("Harvest", 256)}${section("Winter", 257)}</p14:sectionLst></p:ext></p:extLst>`,
  })
}
