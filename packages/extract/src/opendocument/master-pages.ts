import type { Block } from "../blocks.ts"
import type { MarkupHandler } from "../markup.ts"
import { isPageNumber } from "../page-number.ts"
import { ContentReader } from "./content-reader.ts"
import type { OdfStyles } from "./odf-styles.ts"

/** Fields of the headers that every new spreadsheet has. */
const sheetFields = new Set(
  "text:sheet-name text:title text:file-name text:date text:time text:page-number text:page-count".split(
    " ",
  ),
)
/** Shapes of master slides with the text of each slide. */
const isPlaceholder = (attributes: Record<string, string>): boolean =>
  !/^(|footer|header)$/.test(attributes["presentation:class"] ?? "")

/** Headers and footers of pages, and what stands on every slide (OpenDocument 1.3 part 3, §16.9). */
export class MasterPages implements MarkupHandler {
  readonly #headers: ContentReader
  readonly #footers: ContentReader
  readonly #slides: ContentReader
  /** Depth within placeholders. */
  #ignoredDepth = 0
  #current: ContentReader

  constructor(styles: OdfStyles, isSpreadsheet: boolean) {
    const options = isSpreadsheet ? { unshown: sheetFields } : {}
    this.#headers = new ContentReader(styles, options)
    this.#footers = new ContentReader(styles, options)
    this.#slides = new ContentReader(styles)
    this.#current = this.#slides
  }

  open(name: string, attributes: Record<string, string>): void {
    if (this.#ignoredDepth > 0 || name === "presentation:notes" || isPlaceholder(attributes)) {
      this.#ignoredDepth++
      return
    }
    if (name.startsWith("style:header")) this.#current = this.#headers
    if (name.startsWith("style:footer")) this.#current = this.#footers
    this.#current.open(name, attributes)
  }

  close(name: string): void {
    if (this.#ignoredDepth > 0) {
      this.#ignoredDepth--
      return
    }
    this.#current.close(name)
    if (/^style:(header|footer)/.test(name)) this.#current = this.#slides
  }

  text(piece: string): void {
    if (this.#ignoredDepth === 0) this.#current.text(piece)
  }

  /** Each text once. */
  takeBlocks(): { before: Block[]; after: Block[] } {
    const seen = new Set<string>()
    const distinct = ({ blocks }: ContentReader): Block[] =>
      blocks.filter(({ text }) => {
        const isNew = !seen.has(text) && !isPageNumber(text)
        seen.add(text)
        return isNew
      })
    const before = [...distinct(this.#headers), ...distinct(this.#slides)]
    return { before, after: distinct(this.#footers) }
  }
}
