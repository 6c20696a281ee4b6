import type { Block } from "../blocks.ts"
import { HeadingTracker } from "../heading-tracker.ts"
import { findPath, type XmlElement } from "../ooxml/office-xml.ts"
import { readReferencedGraphic } from "../ooxml/read-graphic.ts"
import { readRelationships } from "../ooxml/relationships.ts"
import { walkSubtrees } from "../ooxml/xml-subtrees.ts"
import type { ReadingContext } from "../reading-context.ts"
import { resolveArchivePath, type Zip } from "../zip/zip.ts"
import { HeadersAndFooters } from "./headers-footers.ts"
import { Comments, Notes } from "./notes.ts"
import { ListNumbers } from "./numbering.ts"
import { type StoryContext, StoryReader } from "./story-reader.ts"
import { Styles } from "./styles.ts"

type Relationships = ReturnType<typeof readRelationships>

/** The main part of a Word document, whatever its name; undefined for other documents. */
export const findWordDocument = (zip: Zip): string | undefined => {
  const defaultPart = "word/document.xml"
  if (zip.has(defaultPart)) return defaultPart
  const main = [...readRelationships(zip, "").values()].find(
    ({ type }) => type === "officeDocument",
  )?.target
  return main && /wordprocessingml/.test(zip.readText(main).slice(0, 20_000)) ? main : undefined
}

/** Documents inserted as they are, by relationship. */
const readInsertedDocuments = async (
  zip: Zip,
  relationships: Relationships,
  context: ReadingContext,
): Promise<Map<string, Block[]>> => {
  const blocksById = new Map<string, Block[]>()
  for (const [id, { type, target }] of relationships) {
    const bytes = type === "aFChunk" ? zip.read(target) : undefined
    const filename = target.replace(/\.mht(ml)?$/i, ".eml")
    const source = bytes && { bytes, filename, contentType: "" }
    if (source) blocksById.set(id, await context.readAttachment(source, []))
  }
  return blocksById
}

const createContext = (
  zip: Zip,
  part: string,
  { styles, numbers }: Pick<StoryContext, "styles" | "numbers">,
): StoryContext => {
  const headings = new HeadingTracker()
  const relationships = readRelationships(zip, part)
  return {
    styles,
    numbers,
    headings,
    markNote: () => "",
    readAttached: (content) => {
      const location = headings.path()
      if (content.kind === "text") return [{ text: content.text, kind: "paragraph", location }]
      if (content.kind !== "graphic") return []
      return readReferencedGraphic(zip, relationships, content.element, location)
    },
  }
}

const bodyElements = new Set(["p", "tr", "AlternateContent", "sectPr", "altChunk"])

interface BodyParts {
  headersAndFooters: HeadersAndFooters
  insertedDocuments: ReadonlyMap<string, Block[]>
}

const readBody = (
  source: string,
  context: StoryContext,
  { headersAndFooters, insertedDocuments }: BodyParts,
): Block[] => {
  const blocks: Block[] = []
  const story = new StoryReader(context, { isBody: true })
  const takeSection = (): void => {
    for (const block of story.blocks.splice(0)) blocks.push(block)
  }
  const endSection = (section: XmlElement): void => {
    for (const block of headersAndFooters.readHeaders(section)) blocks.push(block)
    takeSection()
    for (const block of headersAndFooters.readFooters(section)) blocks.push(block)
  }
  const readParagraph = (paragraph: XmlElement): void => {
    story.readParagraph(paragraph)
    const section = findPath(paragraph, "pPr", "sectPr")
    if (section) endSection(section)
  }
  const insertDocument = ({ attributes }: XmlElement): void => {
    const { heading = [] } = context.headings.path()
    for (const block of insertedDocuments.get(attributes["r:id"] ?? "") ?? []) {
      const path = [...heading, ...(block.location.heading ?? [])]
      story.blocks.push({ ...block, location: { ...block.location, heading: path } })
    }
  }
  const readers = new Map(
    Object.entries<(element: XmlElement) => void>({
      p: readParagraph,
      tr: (row) => story.readRow(row),
      sectPr: endSection,
      altChunk: insertDocument,
    }),
  )
  walkSubtrees(source, bodyElements, {
    open: (name) => {
      if (name === "tbl") story.startTable()
    },
    close: (name) => {
      if (name === "tbl") story.endTable()
    },
    subtree: (element) => (readers.get(element.name) ?? story.readContent.bind(story))(element),
  })
  takeSection()
  return blocks
}

/**
 * Word: paragraphs, tables and what they refer to, headers and footers (ECMA-376 part 1, §17).
 * @param part the main part
 */
export const readDocx = async (
  zip: Zip,
  part: string,
  readingContext: ReadingContext,
): Promise<Block[]> => {
  const relationships = readRelationships(zip, part)
  const readPart = (type: string): string => {
    const related = [...relationships.values()].find((relationship) => relationship.type === type)
    return zip.readText(related?.target ?? resolveArchivePath(part, `${type}.xml`))
  }
  const partNamed = (type: string): string =>
    [...relationships.values()].find((relationship) => relationship.type === type)?.target ??
    resolveArchivePath(part, `${type}.xml`)
  const styles = new Styles(readPart("styles"))
  const numbering = readPart("numbering")
  /** Headers, notes and comments are numbered apart from the body. */
  const numbers = new ListNumbers(numbering, styles)
  const contextOf = (name: string): StoryContext => createContext(zip, name, { styles, numbers })
  const footnotes = new Notes(readPart("footnotes"), "decimal", contextOf(partNamed("footnotes")))
  const endnotes = new Notes(readPart("endnotes"), "lowerRoman", contextOf(partNamed("endnotes")))
  const comments = new Comments(readPart("comments"), contextOf(partNamed("comments")))
  const notes = { footnote: footnotes, endnote: endnotes, comment: comments }
  const plain = createContext(zip, part, { styles, numbers: new ListNumbers(numbering, styles) })
  const toBlock = (text: string): Block => ({
    text,
    kind: "paragraph",
    location: plain.headings.path(),
  })
  const context: StoryContext = {
    ...plain,
    markNote: (kind, id) => notes[kind].mark(id),
    readAttached: (content) =>
      "id" in content
        ? [toBlock(notes[content.kind].take(content.id))]
        : plain.readAttached(content),
  }
  const blocks = readBody(zip.readText(part), context, {
    headersAndFooters: new HeadersAndFooters(zip, relationships, contextOf),
    insertedDocuments: await readInsertedDocuments(zip, relationships, readingContext),
  })
  const rest = [footnotes, endnotes, comments].flatMap((texts) => texts.takeRest())
  return [...blocks, ...rest.map(toBlock)]
}
