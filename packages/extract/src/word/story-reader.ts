import type { Block } from "../blocks.ts"
import type { HeadingTracker } from "../heading-tracker.ts"
import { findChild, type XmlElement } from "../ooxml/office-xml.ts"
import type { ListNumbers, ParagraphNumbering } from "./numbering.ts"
import { type AttachedContent, type ParagraphContent, ParagraphReader } from "./read-paragraph.ts"
import { type ResolvedStyle, readOutlineLevel, readValue, type Styles } from "./styles.ts"
import { findCells, isDeletedRow, TableRows } from "./table-rows.ts"

/** What the stories of a document share. */
export interface StoryContext {
  styles: Styles
  numbers: ListNumbers
  headings: HeadingTracker
  /** @returns the mark of a note in the text */
  markNote(kind: "footnote" | "endnote", id: string): string
  readAttached(content: Exclude<AttachedContent, { kind: "textBox" }>): Block[]
}

/** Tables in tables; deeper ones are read as paragraphs. */
const maxTableDepth = 5

const maxIndentation = 8

const readNumbering = (
  properties: XmlElement | undefined,
  style: ResolvedStyle,
): ParagraphNumbering => {
  const numbering = findChild(properties, "numPr")
  const level = readValue(numbering, "ilvl")
  return {
    numberId: readValue(numbering, "numId"),
    level: level === undefined ? undefined : Number(level) || 0,
    style,
  }
}

const isMergedWithNext = (properties: XmlElement | undefined): boolean => {
  const mark = findChild(properties, "rPr")
  const isDropCap = findChild(properties, "framePr")?.attributes["w:dropCap"] !== undefined
  return isDropCap || (findChild(mark, "del") ?? findChild(mark, "moveFrom")) !== undefined
}

/** Reads the paragraphs and tables of a story: the body, a header, a note, a text box or a cell. */
export class StoryReader {
  readonly blocks: Block[] = []
  readonly #context: StoryContext
  readonly #isBody: boolean
  readonly #tableDepth: number
  readonly #paragraphs: ParagraphReader
  /** What a cell refers to follows its table. */
  readonly #attached: Block[]
  #merged: ParagraphContent | null = null
  /** Those that are being read; a row that is not divided can hold further ones. */
  readonly #tables: { rows: TableRows; attached: Block[] }[] = []

  /** @param cell set if the story is that of a cell */
  constructor(
    context: StoryContext,
    {
      isBody = false,
      cell,
    }: { isBody?: boolean; cell?: { depth: number; attached: Block[] } } = {},
  ) {
    this.#context = context
    this.#isBody = isBody
    this.#tableDepth = cell?.depth ?? 0
    this.#attached = cell?.attached ?? this.blocks
    this.#paragraphs = new ParagraphReader(context.styles, context.markNote)
  }

  /** Reads the paragraphs and tables in an element. */
  readContent(parent: XmlElement): void {
    for (const element of parent.children) this.#readElement(element)
  }

  #readElement(element: XmlElement): void {
    const { name } = element
    if (name === "p") this.readParagraph(element)
    else if (name === "tbl") this.#readTable(element)
    else if (name === "tr") this.readRow(element)
    else if (name !== "sdtPr") this.readContent(element)
  }

  #readTable(table: XmlElement): void {
    if (this.#tableDepth < maxTableDepth) this.startTable()
    this.readContent(table)
    this.endTable()
  }

  readParagraph(paragraph: XmlElement): void {
    const properties = findChild(paragraph, "pPr")
    const own = this.#paragraphs.read(paragraph)
    const text = (this.#merged?.text ?? "") + own.text
    const attached = [...(this.#merged?.attached ?? []), ...own.attached]
    this.#merged = isMergedWithNext(properties) ? { text, attached } : null
    if (this.#merged) return
    this.#addParagraph(text.trim(), properties)
    for (const content of attached) this.#addAttached(content)
  }

  #addParagraph(text: string, properties: XmlElement | undefined): void {
    const style = this.#context.styles.resolve(readValue(properties, "pStyle"))
    const numbering = readNumbering(properties, style)
    const number = this.#context.numbers.countParagraph(numbering)
    if (text === "") return
    const headingLevel = this.#isBody ? (readOutlineLevel(properties) ?? style.headingLevel) : 0
    const isBullet = number === "-"
    if (headingLevel > 0) {
      this.#addHeading(number === "" || isBullet ? text : `${number} ${text}`, headingLevel)
      return
    }
    const indentation = isBullet ? "  ".repeat(Math.min(numbering.level ?? 0, maxIndentation)) : ""
    this.#addBlock(number === "" ? text : `${indentation}${number} ${text}`, "paragraph")
  }

  #addHeading(text: string, level: number): void {
    this.#context.headings.enter(level, text)
    this.#addBlock(text, "heading")
  }

  #addBlock(text: string, kind: Block["kind"]): void {
    this.blocks.push({ text, kind, location: this.#context.headings.path() })
  }

  #addAttached(content: AttachedContent): void {
    const blocks =
      content.kind === "textBox"
        ? readStory(this.#context, content.element)
        : this.#context.readAttached(content)
    for (const block of blocks) this.#attached.push(block)
  }

  startTable(): void {
    this.#tables.push({ rows: new TableRows(), attached: [] })
  }

  readRow(row: XmlElement): void {
    if (isDeletedRow(row)) return
    const table = this.#tables.at(-1)
    const [cell, second] = findCells(row)
    // A title above the columns, or a table for layout.
    const isUndivided = cell && !second && table?.rows.isEmpty
    if (!table || isUndivided) this.readContent(row)
    else table.rows.add(row, (element) => this.#readCell(element, table.attached))
  }

  #readCell(cell: XmlElement, attached: Block[]): string {
    const reader = new StoryReader(this.#context, {
      cell: { depth: this.#tableDepth + 1, attached },
    })
    reader.readContent(cell)
    return reader.blocks
      .map(({ text, kind }) => (kind === "row" ? nestedRow(text) : text))
      .join(" ")
  }

  endTable(): void {
    const table = this.#tables.pop()
    if (!table) return
    const { rows, attached } = table
    for (const block of rows.toBlocks(this.#context.headings.path())) this.blocks.push(block)
    for (const block of attached) this.#attached.push(block)
  }
}

/** A row of a table in a cell. */
const nestedRow = (text: string): string => `${text.replaceAll(" | ", ", ")};`

/** The blocks of a story other than the body. */
export const readStory = (context: StoryContext, story: XmlElement): Block[] => {
  const reader = new StoryReader(context)
  reader.readContent(story)
  return reader.blocks
}
