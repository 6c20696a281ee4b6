import type { Block, ExtractedBlocks, PassageLocation } from "../blocks.ts"
import { type MarkupHandler, walkXml } from "../markup.ts"
import { findDatesInXml } from "../metadata-dates.ts"
import type { ReadingContext } from "../reading-context.ts"
import { resolveArchivePath, type Zip } from "../zip/zip.ts"
import { ContentReader, type EmbeddedObject } from "./content-reader.ts"
import { MasterPages } from "./master-pages.ts"
import { OdfStyles } from "./odf-styles.ts"

/** Elements beside the body. */
const otherParts = new Set(
  `office:meta office:settings office:scripts office:font-face-decls office:styles
   office:automatic-styles office:master-styles`.split(/\s+/),
)
const unread: MarkupHandler = {}

/** Passes each element of a document to the reader of its part. */
class DocumentParts implements MarkupHandler {
  readonly #body: MarkupHandler
  readonly #readers: ReadonlyMap<string, MarkupHandler>
  #current: MarkupHandler

  constructor(body: MarkupHandler, styles: OdfStyles, masterPages: MarkupHandler) {
    this.#body = body
    const styleReader: MarkupHandler = { open: (name, attributes) => styles.open(name, attributes) }
    this.#readers = new Map(
      Object.entries({
        "office:styles": styleReader,
        "office:automatic-styles": styleReader,
        "office:master-styles": masterPages,
      }),
    )
    this.#current = body
  }

  open(name: string, attributes: Record<string, string>): void {
    if (this.#current === this.#body && otherParts.has(name)) {
      this.#current = this.#readers.get(name) ?? unread
    } else this.#current.open?.(name, attributes)
  }

  close(name: string): void {
    if (otherParts.has(name)) this.#current = this.#body
    else this.#current.close?.(name)
  }

  text(piece: string): void {
    this.#current.text?.(piece)
  }
}

/** A formula as its author wrote it, or else the characters of its MathML. */
const readFormula = (source: string): string => {
  let annotation = ""
  let text = ""
  let isAnnotation = false
  walkXml(source, {
    open: (name) => {
      if (/(^|:)annotation$/.test(name)) isAnnotation = true
    },
    close: (name) => {
      if (/(^|:)annotation$/.test(name)) isAnnotation = false
    },
    text: (piece) => {
      if (isAnnotation) annotation += piece
      else text += piece
    },
  })
  return (annotation || text).replace(/\s+/g, " ").trim()
}

const readChart = (source: string, location: PassageLocation): Block[] => {
  const styles = new OdfStyles()
  const content = new ContentReader(styles)
  walkXml(source, new DocumentParts(content, styles, unread))
  return content.blocks.map(({ text, kind }) => ({
    // Charts without categories have no values in their first column.
    text: text.replaceAll(" | NaN", ""),
    kind,
    location,
  }))
}

/** Reads each embedded object of an archive once. */
const createObjectReader = (zip: Zip) => {
  const readPaths = new Set<string>()
  return (path: string, location: PassageLocation): EmbeddedObject => {
    const part = resolveArchivePath("", `${path}/content.xml`)
    const source = readPaths.has(part) || path === "" ? "" : zip.readText(part)
    readPaths.add(part)
    const isFormula = /<(\w+:)?math\b/.test(source.slice(0, 2000))
    return isFormula
      ? { formula: readFormula(source), blocks: [] }
      : { formula: "", blocks: readChart(source, location) }
  }
}

const readSources = (
  sources: readonly string[],
  format: string,
  readObject?: (path: string, location: PassageLocation) => EmbeddedObject,
): ExtractedBlocks => {
  const isSpreadsheet = format === "ods"
  const styles = new OdfStyles()
  const masterPages = new MasterPages(styles, isSpreadsheet)
  const content = new ContentReader(styles, { isSpreadsheet, ...(readObject && { readObject }) })
  for (const source of sources) walkXml(source, new DocumentParts(content, styles, masterPages))
  const { before, after } = masterPages.takeBlocks()
  const { pages } = content
  const blocks = [...before, ...content.blocks, ...after]
  return { format, blocks, ...(pages > 0 && { pages }) }
}

/** Of the last change, and of the creation. */
const dateElements = ["date", "creation-date"]

/** OpenDocument text, presentation (including notes) and spreadsheet. */
export const readOdf = (zip: Zip, format: string, context: ReadingContext): ExtractedBlocks => {
  const sources = [zip.readText("styles.xml"), zip.readText("content.xml")]
  const extracted = readSources(sources, format, createObjectReader(zip))
  context.noteDates(() => findDatesInXml(zip.readText("meta.xml"), dateElements))
  return extracted
}

/** Flat OpenDocument: all parts in one XML file. */
export const readFlatOdf = (
  source: string,
  format: string,
  context: ReadingContext,
): ExtractedBlocks => {
  context.noteDates(() => findDatesInXml(source, dateElements))
  return readSources([source], format)
}
