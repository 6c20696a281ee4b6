import type { Block } from "../blocks.ts"
import type { PdfDocument } from "../pdf/open-pdf.ts"
import { joinWrapped } from "../pdf/paragraphs.ts"
import type { ReadingResources } from "../reading-context.ts"
import { readPageImage } from "./page-image.ts"

/** At about four seconds each. */
const maxPages = 500

const splitAtEmptyLines = (lines: readonly string[]): string[][] => {
  const paragraphs: string[][] = [[]]
  for (const line of lines) {
    if (line === "") paragraphs.push([])
    else paragraphs.at(-1)?.push(line)
  }
  return paragraphs.filter(({ length }) => length > 0)
}

/** Recognizes the text of scanned pages of one PDF, in the languages that the operator chose. */
export class ScanReader {
  /** Pages whose text was recognized, in ascending order, 1-based. */
  readonly recognizedPages: number[] = []
  readonly #resources: Pick<ReadingResources, "recognizer" | "extendTime">
  #attempts = 0

  constructor(resources: Pick<ReadingResources, "recognizer" | "extendTime">) {
    this.#resources = resources
  }

  /** The paragraphs that the images of a page show; none if there is no text for certain. */
  async read(pdf: PdfDocument, number: number): Promise<Block[]> {
    const { recognizer, extendTime } = this.#resources
    if (!recognizer || this.#attempts++ >= maxPages) return []
    extendTime()
    const page = await pdf.getPage(number)
    const image = await readPageImage(page)
    const text = image ? await recognizer.recognize(image) : ""
    page.cleanup()
    extendTime()
    const lines = text.split("\n").map((line) => line.trim())
    const paragraphs = splitAtEmptyLines(lines).map((paragraph) => paragraph.reduce(joinWrapped))
    if (paragraphs.length > 0) this.recognizedPages.push(number)
    const location = { page: number }
    return paragraphs.map((paragraph) => ({ text: paragraph, kind: "paragraph", location }))
  }
}
