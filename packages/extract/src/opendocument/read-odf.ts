import type { Block, PassageLocation } from "../blocks.ts"
import { HeadingTracker } from "../heading-tracker.ts"
import { type MarkupHandler, walkXml } from "../markup.ts"
import { rowsToBlocks } from "../rows-to-blocks.ts"
import type { Zip } from "../zip/zip.ts"

const maxRepeatedEmptyCells = 50
/** Limits on repeating a non-empty cell: number of cells and resulting characters. */
const maxFilledCells = 500
const maxRepeatedCharacters = 20_000

const spaces = (count: string | undefined): string => " ".repeat(Math.min(Number(count) || 1, 100))

/** Collects blocks while walking content.xml (OpenDocument 1.3 part 3). */
class ContentReader implements MarkupHandler {
  readonly blocks: Block[] = []
  pages = 0
  readonly #headings = new HeadingTracker()
  #location: PassageLocation = {}
  #text = ""
  #textDepth = 0
  #level = 0
  #rows: { row: number; cells: string[] }[] | null = null
  #cell: { parts: string[]; repeated: number } | null = null
  #annotationDepth = 0

  open(name: string, attributes: Record<string, string>): void {
    if (name === "text:h") this.#enterText(Number(attributes["text:outline-level"]) || 1)
    if (name === "text:p") this.#enterText(0)
    if (name === "text:s") this.#text += spaces(attributes["text:c"])
    if (name === "text:tab") this.#text += "\t"
    if (name === "text:line-break") this.#text += "\n"
    if (name === "office:annotation") this.#annotationDepth++
    if (name === "draw:page") this.#location = { slide: ++this.pages }
    if (name.startsWith("table:")) this.#openTablePart(name, attributes)
  }

  #openTablePart(name: string, attributes: Record<string, string>): void {
    if (name === "table:table") {
      this.#rows ??= []
      this.#location = { ...this.#location, sheet: attributes["table:name"] ?? "" }
    }
    if (name === "table:table-row") this.#rows?.push({ row: this.#rows.length + 1, cells: [] })
    if (name === "table:table-cell") {
      const repeated = Number(attributes["table:number-columns-repeated"]) || 1
      this.#cell = { parts: [], repeated }
    }
  }

  close(name: string): void {
    if (name === "text:h" || name === "text:p") this.#leaveText()
    if (name === "office:annotation") this.#annotationDepth--
    if (name === "table:table-cell") this.#endCell()
    if (name === "table:table") this.#endTable()
  }

  text(piece: string): void {
    if (this.#textDepth > 0 && this.#annotationDepth === 0) this.#text += piece.replace(/\s+/g, " ")
  }

  #enterText(headingLevel: number): void {
    if (this.#textDepth++ === 0) this.#level = headingLevel
  }

  #leaveText(): void {
    if (--this.#textDepth > 0) return
    const text = this.#text.trim()
    this.#text = ""
    if (text === "") return
    if (this.#cell) {
      this.#cell.parts.push(text)
      return
    }
    if (this.#level > 0) this.#headings.enter(this.#level, text)
    const kind = this.#level > 0 ? "heading" : "paragraph"
    this.blocks.push({ text, kind, location: this.#currentLocation() })
  }

  #endCell(): void {
    const value = this.#cell?.parts.join(" ") ?? ""
    const max =
      value === ""
        ? maxRepeatedEmptyCells
        : Math.min(maxFilledCells, maxRepeatedCharacters / value.length)
    const times = Math.min(this.#cell?.repeated ?? 1, Math.max(1, max))
    for (let at = 0; at < times; at++) this.#rows?.at(-1)?.cells.push(value)
    this.#cell = null
  }

  #endTable(): void {
    for (const row of rowsToBlocks(this.#rows ?? [], this.#currentLocation())) this.blocks.push(row)
    this.#rows = null
    const { sheet, ...location } = this.#location
    this.#location = location
  }

  #currentLocation(): PassageLocation {
    return { ...this.#location, ...this.#headings.path() }
  }
}

/** OpenDocument text, presentation (including notes) and spreadsheet. */
export const readOdf = (zip: Zip): { blocks: Block[]; pages?: number } => {
  const reader = new ContentReader()
  walkXml(zip.readText("content.xml"), reader)
  const { blocks, pages } = reader
  return { blocks, ...(pages > 0 && { pages }) }
}
