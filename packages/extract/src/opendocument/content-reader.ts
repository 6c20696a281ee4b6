import type { Block, PassageLocation } from "../blocks.ts"
import { formatCellComment, formatComment } from "../format-comment.ts"
import { HeadingTracker } from "../heading-tracker.ts"
import type { MarkupHandler } from "../markup.ts"
import { describePicture } from "../picture-description.ts"
import { containerElements, labelElements, unshownElements } from "./element-names.ts"
import { FormControls } from "./form-controls.ts"
import { ListCounters } from "./list-counters.ts"
import type { OdfStyles } from "./odf-styles.ts"
import { OdfTable } from "./odf-table.ts"
import { type Container, newContainer, type Paragraph } from "./text-container.ts"

type Attributes = Record<string, string>

/** An object in a part of its own: a formula in the text, or other content. */
export interface EmbeddedObject {
  formula: string
  blocks: Block[]
}

interface ContentOptions {
  isSpreadsheet?: boolean
  /** Names of further elements that are not shown. */
  unshown?: ReadonlySet<string>
  readObject?(path: string, location: PassageLocation): EmbeddedObject
}

const maxSpaces = 100
const maxIndentation = 8
/** Tables in tables up to this depth keep their columns. */
const maxTableDepth = 5

/** Collects blocks while walking the content of a document (OpenDocument 1.3 part 3). */
export class ContentReader implements MarkupHandler {
  pages = 0
  readonly #styles: OdfStyles
  readonly #options: ContentOptions
  readonly #controls = new FormControls()
  readonly #lists = new ListCounters()
  readonly #body = newContainer("", {})
  readonly #containers = [this.#body]
  readonly #tables: OdfTable[] = []
  #headings = new HeadingTracker()
  #location: PassageLocation = {}
  #isTitle = false
  /** Depth in elements that are not shown. */
  #unshownDepth = 0
  #label: string | null = null
  /** Style of the last paragraph. */
  #paragraphStyle: string | undefined

  constructor(styles: OdfStyles, options: ContentOptions = {}) {
    this.#styles = styles
    this.#options = options
  }

  get blocks(): Block[] {
    return this.#body.blocks
  }

  open(name: string, attributes: Attributes): void {
    if (this.#unshownDepth > 0 || this.#isUnshown(name, attributes)) {
      this.#unshownDepth++
      if (name.startsWith("form:")) this.#controls.open(name, attributes)
      return
    }
    if (labelElements.has(name)) this.#label = ""
    if (containerElements.has(name)) this.#containers.push(newContainer(name, attributes))
    ContentReader.#openers.get(name)?.(this, attributes, name)
  }

  close(name: string): void {
    if (this.#unshownDepth > 0) {
      this.#unshownDepth--
      return
    }
    if (labelElements.has(name)) this.#closeLabel(name)
    ContentReader.#closers.get(name)?.(this)
    if (containerElements.has(name)) this.#closeContainer()
  }

  text(piece: string): void {
    if (this.#unshownDepth > 0) return
    const text = piece.replace(/\s+/g, " ")
    if (this.#label !== null) this.#label += text
    else this.#add(text)
  }

  #isUnshown(name: string, attributes: Attributes): boolean | undefined {
    return (
      unshownElements.has(name) ||
      this.#options.unshown?.has(name) ||
      attributes["text:is-hidden"] === "true" ||
      attributes["text:display"] === "none" ||
      attributes["style:display"] === "false" ||
      attributes["presentation:placeholder"] === "true" ||
      (name.startsWith("text:") && this.#styles.isHidden(attributes["text:style-name"]))
    )
  }

  static readonly #openers = new Map(
    Object.entries<(reader: ContentReader, attributes: Attributes, name: string) => void>({
      "text:h": (reader, attributes) => reader.#openHeading(attributes),
      "text:p": (reader, attributes) => reader.#openParagraph(attributes),
      "text:s": (reader, { "text:c": count }) =>
        reader.#add(" ".repeat(Math.min(Number(count) || 1, maxSpaces))),
      "text:tab": (reader) => reader.#add("\t"),
      "text:line-break": (reader) => reader.#add("\n"),
      "text:ruby-text": (reader) => reader.#add("("),
      "text:list": (reader, attributes) => reader.#lists.openList(attributes),
      "text:list-item": (reader, attributes, name) => reader.#lists.openItem(name, attributes),
      "text:list-header": (reader, attributes, name) => reader.#lists.openItem(name, attributes),
      "draw:page": (reader) => reader.#openPage(),
      "draw:frame": (reader, { "presentation:class": kind }) => {
        reader.#isTitle = kind === "title"
      },
      "draw:control": (reader, { "draw:control": id = "" }) => reader.#addControl(id),
      "draw:object": (reader, { "xlink:href": path = "" }) => reader.#addObject(path),
      "table:table": (reader, attributes) => reader.#openTable(attributes),
      "table:table-header-rows": (reader) => reader.#tables.at(-1)?.setInHeader(true),
      "table:table-row": (reader, attributes) => reader.#tables.at(-1)?.openRow(attributes),
      "table:covered-table-cell": (reader, attributes) => {
        reader.#tables.at(-1)?.addCoveredCells(attributes)
        reader.#unshownDepth = 1
      },
      "presentation:footer-decl": (reader, attributes) => reader.#openParagraph(attributes),
      "presentation:header-decl": (reader, attributes) => reader.#openParagraph(attributes),
    }),
  )

  static readonly #closers = new Map(
    Object.entries<(reader: ContentReader) => void>({
      "text:h": (reader) => reader.#closeParagraph(),
      "text:p": (reader) => reader.#closeParagraph(),
      "text:ruby-text": (reader) => reader.#add(")"),
      "text:list": (reader) => reader.#lists.closeList(),
      "text:list-item": (reader) => reader.#lists.closeItem(),
      "text:list-header": (reader) => reader.#lists.closeItem(),
      "draw:frame": (reader) => {
        reader.#isTitle = false
      },
      "table:table": (reader) => reader.#closeTable(),
      "table:table-header-rows": (reader) => reader.#tables.at(-1)?.setInHeader(false),
      "presentation:footer-decl": (reader) => reader.#closeParagraph(),
      "presentation:header-decl": (reader) => reader.#closeParagraph(),
    }),
  )

  get #container(): Container {
    return this.#containers.at(-1) ?? this.#body
  }

  #currentLocation(): PassageLocation {
    return { ...this.#location, ...this.#headings.path() }
  }

  #add(text: string): void {
    const paragraph = this.#container.paragraphs.at(-1)
    if (paragraph) paragraph.text += text
  }

  #openParagraph(attributes: Attributes): void {
    this.#paragraphStyle = attributes["text:style-name"]
    const number = this.#lists.countParagraph((name) =>
      this.#styles.list(name ?? this.#styles.listOfParagraph(attributes["text:style-name"])),
    )
    this.#container.paragraphs.push({ text: "", headingLevel: 0, number, attached: [] })
  }

  #openHeading(attributes: Attributes): void {
    const isUnnumbered =
      attributes["text:is-list-header"] === "true" ||
      this.#styles.listOfParagraph(attributes["text:style-name"]) === ""
    const { outline } = this.#styles
    this.#openParagraph(attributes)
    const heading = this.#container.paragraphs.at(-1)
    if (!heading) return
    heading.headingLevel = Number(attributes["text:outline-level"]) || 1
    const isInList = this.#lists.level > 0
    if (outline && !isUnnumbered && !isInList) {
      heading.number = this.#lists.countHeading(outline, attributes)
    }
  }

  #closeParagraph(): void {
    const paragraph = this.#container.paragraphs.pop()
    if (!paragraph) return
    const text = paragraph.text.trim()
    if (text !== "") this.#deliver([this.#toBlock(text, paragraph)])
    const table = this.#container.name === "table:table-cell" ? this.#tables.at(-1) : undefined
    if (!table) this.#deliver(paragraph.attached)
    else for (const block of paragraph.attached) table.attached.push(block)
  }

  #toBlock(text: string, { headingLevel, number }: Paragraph): Block {
    const level = this.#isTitle && headingLevel === 0 ? 1 : headingLevel
    const isHeading = level > 0 && this.#containers.every(({ name }) => !/cell|note/.test(name))
    const isBullet = number === "-"
    if (isHeading) {
      const numbered = number === "" || isBullet ? text : `${number} ${text}`
      this.#headings.enter(level, numbered)
      return { text: numbered, kind: "heading", location: this.#currentLocation() }
    }
    const indentation = isBullet ? "  ".repeat(Math.min(this.#lists.level - 1, maxIndentation)) : ""
    const numbered = number === "" ? text : `${indentation}${number} ${text}`
    return { text: numbered, kind: "paragraph", location: this.#currentLocation() }
  }

  /** Adds blocks after the current paragraph, or else to what is around them. */
  #deliver(blocks: readonly Block[]): void {
    const container = this.#container
    const target = container.paragraphs.at(-1)?.attached ?? container.blocks
    for (const block of blocks) target.push(block)
  }

  #addObject(path: string): void {
    const object = this.#options.readObject?.(path, this.#currentLocation())
    if (!object) return
    this.#add(object.formula)
    this.#deliver(object.blocks)
  }

  #addControl(id: string): void {
    const text = this.#controls.take(id)
    if (this.#container.paragraphs.length > 0) this.#add(text)
    else this.#deliverText(text)
  }

  #closeLabel(name: string): void {
    const label = this.#label?.trim() ?? ""
    this.#label = null
    const paragraph = this.#container.paragraphs.at(-1)
    if (name === "svg:desc") this.#deliverText(describePicture(label))
    else if (name !== "text:number") this.#container.label = label
    else if (paragraph) paragraph.number ||= label
  }

  #deliverText(text: string): void {
    if (text !== "") this.#deliver([{ text, kind: "paragraph", location: this.#currentLocation() }])
  }

  #closeContainer(): void {
    const { name, attributes, blocks, label } = this.#containers.pop() ?? this.#body
    const text = (separator: string) => blocks.map((block) => block.text).join(separator)
    if (name === "table:table-cell") this.#closeCell(attributes, text(" "))
    else if (name === "text:note") {
      this.#add(`[^${label}]`)
      this.#deliverText(`[^${label}]: ${text("\n")}`)
    } else this.#closeComment(label, text("\n"))
  }

  #closeCell(attributes: Attributes, text: string): void {
    const isEmphasized =
      this.#styles.isEmphasized("table-cell", attributes["table:style-name"]) ||
      this.#styles.isEmphasized("paragraph", this.#paragraphStyle)
    this.#tables.at(-1)?.addCell(attributes, text, isEmphasized)
  }

  #closeComment(author: string, text: string): void {
    if (text === "") return
    const table = this.#tables.at(-1)
    const location = this.#currentLocation()
    if (this.#options.isSpreadsheet && table) {
      const comment = formatCellComment(table.cellName, { author, text })
      table.attached.push({ text: comment, kind: "row", location })
      return
    }
    const comment = formatComment({ author, text })
    if (table) table.attached.push({ text: comment, kind: "paragraph", location })
    else this.#deliverText(comment)
  }

  #openPage(): void {
    this.#location = { slide: ++this.pages }
    this.#headings = new HeadingTracker()
  }

  #openTable(attributes: Attributes): void {
    this.#tables.push(new OdfTable())
    if (!this.#options.isSpreadsheet || this.#tables.length > 1) return
    const name = attributes["table:name"] ?? ""
    const isHidden = this.#styles.isHidden(attributes["table:style-name"])
    this.#location = { sheet: isHidden ? `${name} (hidden)` : name }
  }

  #closeTable(): void {
    const table = this.#tables.pop()
    if (!table) return
    const isOuter = this.#tables.length === 0
    const isSheet = isOuter && (this.#options.isSpreadsheet ?? false)
    const isDeep = this.#tables.length >= maxTableDepth
    const location = this.#currentLocation()
    this.#deliver(isDeep ? table.toPlainBlocks(location) : table.toBlocks(location, isSheet))
    this.#deliver(table.attached)
    if (isSheet) this.#location = {}
  }
}
