import type { Block } from "../blocks.ts"
import { HeadingTracker } from "../heading-tracker.ts"
import { type MarkupHandler, walkXml } from "../markup.ts"
import type { Zip } from "../zip/zip.ts"

/** Heading level of each paragraph style, 1-based. */
const headingLevels = (zip: Zip): Map<string, number> => {
  const levels = new Map<string, number>([["Title", 1]])
  for (let level = 1; level <= 9; level++) levels.set(`Heading${level}`, level)
  let style = ""
  walkXml(zip.readText("word/styles.xml"), {
    open: (name, attributes) => {
      if (name === "w:style") style = attributes["w:styleId"] ?? ""
      const named = /^heading (\d)$/i.exec(attributes["w:val"] ?? "")
      if (name === "w:name" && named) levels.set(style, Number(named[1]))
      if (name === "w:outlineLvl" && Number(attributes["w:val"]) < 9) {
        levels.set(style, Number(attributes["w:val"]) + 1)
      }
    },
  })
  return levels
}

class PartReader implements MarkupHandler {
  readonly textElements = ["w:t"]
  readonly blocks: Block[] = []
  readonly #levels: ReadonlyMap<string, number>
  readonly #headings = new HeadingTracker()
  #text = ""
  #level = 0
  /** Paragraphs of each cell. */
  #row: string[][] | null = null
  #tableDepth = 0

  constructor(levels: ReadonlyMap<string, number>) {
    this.#levels = levels
  }

  open(name: string, attributes: Record<string, string>): void {
    if (name === "w:p") this.#level = 0
    if (name === "w:pStyle") this.#level = this.#levels.get(attributes["w:val"] ?? "") ?? 0
    if (name === "w:tab") this.#text += "\t"
    if (name === "w:br") this.#text += "\n"
    if (name === "w:tbl") this.#tableDepth++
    if (name === "w:tr" && this.#tableDepth === 1) this.#row = []
    if (name === "w:tc") this.#row?.push([])
  }

  close(name: string): void {
    if (name === "w:p") this.#endParagraph()
    if (name === "w:tbl") this.#tableDepth--
    if (name === "w:tr" && this.#tableDepth === 1) this.#endRow()
  }

  text(piece: string): void {
    this.#text += piece
  }

  #endParagraph(): void {
    const text = this.#text.trim()
    this.#text = ""
    if (text === "") return
    if (this.#row) {
      this.#row.at(-1)?.push(text)
      return
    }
    if (this.#level > 0) this.#headings.enter(this.#level, text)
    const kind = this.#level > 0 ? "heading" : "paragraph"
    this.blocks.push({ text, kind, location: this.#headings.path() })
  }

  #endRow(): void {
    const cells = this.#row?.map((paragraphs) => paragraphs.join(" ")) ?? []
    this.#row = null
    if (!cells.some(Boolean)) return
    this.blocks.push({ text: cells.join(" | "), kind: "row", location: this.#headings.path() })
  }
}

/** Word: paragraphs, tables, footnotes and endnotes (ECMA-376 part 1, §17). */
export const readDocx = (zip: Zip): Block[] => {
  const levels = headingLevels(zip)
  const parts = ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"]
  return parts.flatMap((name) => {
    const reader = new PartReader(levels)
    walkXml(zip.readText(name), reader)
    return reader.blocks
  })
}
