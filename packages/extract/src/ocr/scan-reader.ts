import type { Block } from "../blocks.ts"
import type { PdfDocument } from "../pdf/open-pdf.ts"
import { readPageImage } from "../pdf/page-image.ts"
import { joinWrapped } from "../pdf/paragraphs.ts"
import type { ReadingContext } from "../reading-context.ts"

/** Of the words; a text layer and what was recognized differ by mistakes. */
const maxRepeated = 0.6

const splitAtEmptyLines = (lines: readonly string[]): string[][] => {
  const paragraphs: string[][] = [[]]
  for (const line of lines) {
    if (line === "") paragraphs.push([])
    else paragraphs.at(-1)?.push(line)
  }
  return paragraphs.filter(({ length }) => length > 0)
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []

/** Whether most words that were recognized are in the text layer already. */
const repeats = (recognized: string, textLayer: string): boolean => {
  const known = new Set(wordsOf(textLayer))
  const words = wordsOf(recognized)
  return words.filter((word) => known.has(word)).length > words.length * maxRepeated
}

/** Recognizes the text of scanned pages of one PDF, in the languages that the operator chose. */
export class ScanReader {
  /** Pages whose text was recognized, in ascending order, 1-based. */
  readonly recognizedPages: number[] = []
  readonly #context: ReadingContext

  constructor(context: ReadingContext) {
    this.#context = context
  }

  /**
   * The paragraphs that the images of a page show; none if the text layer has them already.
   * @returns null if there is no text for certain
   */
  async read(pdf: PdfDocument, number: number, textLayer: string): Promise<Block[] | null> {
    const text = await this.#recognize(pdf, number)
    if (text.trim() === "") return null
    if (repeats(text, textLayer)) return []
    const lines = text.split("\n").map((line) => line.trim())
    const paragraphs = splitAtEmptyLines(lines).map((paragraph) => paragraph.reduce(joinWrapped))
    this.recognizedPages.push(number)
    const location = { page: number }
    return paragraphs.map((paragraph) => ({ text: paragraph, kind: "paragraph", location }))
  }

  /** @returns an empty text for a page that cannot be shown or recognized */
  async #recognize(pdf: PdfDocument, number: number): Promise<string> {
    const { recognizer, extendTime } = this.#context
    if (!recognizer || !this.#context.mayRecognizePage()) return ""
    extendTime()
    try {
      const page = await pdf.getPage(number)
      const image = await readPageImage(page)
      page.cleanup()
      return image ? await recognizer.recognize(image) : ""
    } catch {
      return ""
    } finally {
      extendTime()
    }
  }
}
