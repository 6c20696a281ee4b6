import { openPdfWithoutImages, type PdfDocument } from "./open-pdf.ts"
import { measureShownContent, type ShownContent } from "./shown-content.ts"

/** A page number or a scanner's stamp has fewer letters and digits. */
const minReadable = 50
/** A receipt stamp or the header of a fax has fewer. */
const minPage = 300
/** Of the page's area. */
const fullPageImage = 0.8
const largeImage = 0.5
const smallImage = 0.02
/** About 100 letters as outlines. */
const minPathLength = 5000
const maxRanges = 20

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unmapped = /[\p{Co}\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffd]/gu

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/**
 * Whether the glyphs of a text layer have no Unicode characters: most fonts without them yield
 * private-use characters, or glyph numbers in which spaces are control characters.
 */
export const isUnmappedText = (text: string): boolean => {
  const garbage = count(text, unmapped)
  return garbage > count(text, /\S/gu) / 10 && garbage > count(text, /[^\S\n]/gu)
}

const countReadable = (text: string): number => count(text, /[\p{L}\p{N}]/gu)

/** Whether a text layer is worth reading even if it is only a stamp on a scan. */
export const hasReadableText = (text: string): boolean =>
  !isUnmappedText(text) && countReadable(text) >= minReadable

const showsPage = (shown: ShownContent, readable: number): boolean => {
  const { imageShare, hasInvisibleText, pathLength } = shown
  if (readable >= minReadable) return imageShare >= fullPageImage && !hasInvisibleText
  return readable === 0
    ? imageShare >= smallImage || pathLength >= minPathLength
    : imageShare >= largeImage
}

/**
 * Distinguishes pages whose text is not, or not all, in the text layer from pages with text and from
 * blank ones.
 */
export class TextlessPages {
  readonly #bytes: Buffer
  #withoutImages: Promise<PdfDocument> | null = null

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** @param text of the page's text layer */
  async includes(page: number, text: string): Promise<boolean> {
    if (isUnmappedText(text)) return true
    const readable = countReadable(text)
    if (readable >= minPage) return false
    this.#withoutImages ??= openPdfWithoutImages(this.#bytes)
    const pdf = await this.#withoutImages
    try {
      const sheet = await pdf.getPage(page)
      const isShown = showsPage(await measureShownContent(sheet), readable)
      sheet.cleanup()
      return isShown
    } catch {
      // A damaged page shows something that is not read.
      return true
    }
  }

  async close(): Promise<void> {
    const pdf = await this.#withoutImages
    await pdf?.loadingTask.destroy()
  }
}

/** Lists pages for readers, such as `2–6, 9`. @param pages in ascending order */
export const formatPages = (pages: readonly number[]): string => {
  const ranges: { from: number; to: number }[] = []
  for (const page of pages) {
    const last = ranges.at(-1)
    if (last?.to === page - 1) last.to = page
    else ranges.push({ from: page, to: page })
  }
  const listed = ranges
    .slice(0, maxRanges)
    .map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`))
  return [...listed, ...(ranges.length > maxRanges ? ["…"] : [])].join(", ")
}
