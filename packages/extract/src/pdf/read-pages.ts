import type { Block, ExtractionLimits } from "../blocks.ts"
import type { ScanReader } from "../ocr/scan-reader.ts"
import { failUnreadable } from "../unreadable.ts"
import { readComments, readTypewriterText } from "./comments.ts"
import { readFormFields } from "./form-fields.ts"
import type { PdfDocument, PdfPage } from "./open-pdf.ts"
import type { PageAnnotation } from "./page-annotations.ts"
import { blocksOfPages, type PageText, readPageText } from "./page-text.ts"
import { hasReadableText, isUnmappedText, type TextlessPages } from "./pages-without-text.ts"
import { placeFormFields } from "./place-form-fields.ts"
import { TextPositions } from "./text-positions.ts"

/** By the ID of their widget. */
type Signatures = ReadonlyMap<string, string>

interface PageContent {
  text: PageText
  comments: string[]
  /** The text layer alone. */
  textLayer: string
  hasFields: boolean
  /** Whether the text layer is more than a page number or a scanner's stamp. */
  hasReadableText: boolean
  /** From the images of a page without text. */
  recognized: Block[]
}

const readPage = async (
  sheet: PdfPage,
  annotations: readonly PageAnnotation[],
  signatures: Signatures,
): Promise<PageContent> => {
  const fields = [...readFormFields(annotations, signatures), ...readTypewriterText(annotations)]
  const page = {
    comments: [] as string[],
    textLayer: "",
    hasFields: fields.length > 0,
    hasReadableText: false,
    recognized: [],
  }
  const text = await readPageText(sheet, (items) => {
    page.textLayer = items.map(({ str }) => str).join("\n")
    page.hasReadableText = hasReadableText(page.textLayer)
    const readable = isUnmappedText(page.textLayer) ? [] : items
    if (annotations.length === 0) return readable
    const positions = new TextPositions(readable, sheet.rotate)
    page.comments = readComments(annotations, positions)
    return placeFormFields(readable, fields, positions)
  })
  return { ...page, text }
}

/** @returns null for a damaged page */
const tryReadPage = async (
  pdf: PdfDocument,
  number: number,
  signatures: Signatures,
  annotations: readonly PageAnnotation[] = [],
): Promise<PageContent | null> => {
  try {
    const sheet = await pdf.getPage(number)
    const page = await readPage(sheet, annotations, signatures)
    sheet.cleanup()
    return page
  } catch {
    return null
  }
}

interface ReadPages {
  blocks: Block[]
  /** Pages whose text is neither in the text layer nor recognized. */
  withoutText: number[]
  /** Whether there is more than what may be a stamp on a scan. */
  hasText: boolean
}

const joinPages = (
  pages: readonly PageContent[],
  isWithoutText: ReadonlySet<number>,
): Pick<ReadPages, "blocks" | "hasText"> => {
  const textBlocks = blocksOfPages(pages.map(({ text }) => text))
  const hasText = pages.some(
    ({ text, comments, hasFields, hasReadableText: isReadable, recognized }, index) =>
      hasFields ||
      recognized.length > 0 ||
      comments.length > 0 ||
      ((isReadable || !isWithoutText.has(text.page)) && (textBlocks[index] ?? []).length > 0),
  )
  const blocks = pages.flatMap(({ text: { page }, recognized, comments }, index): Block[] => [
    ...(textBlocks[index] ?? []),
    ...recognized,
    ...comments.map((text): Block => ({ text, kind: "paragraph", location: { page } })),
  ])
  return { blocks, hasText }
}

/** The text of the pages, with form values in their places and comments at the end of each. */
export const readPages = async (
  pdf: PdfDocument,
  annotations: ReadonlyMap<number, PageAnnotation[]>,
  context: {
    signatures: Signatures
    textlessPages: TextlessPages
    scans: ScanReader
    limits: Pick<ExtractionLimits, "characters">
  },
): Promise<ReadPages> => {
  const pages: PageContent[] = []
  const withoutText: number[] = []
  let characters = 0
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await tryReadPage(pdf, number, context.signatures, annotations.get(number))
    if (!page) {
      withoutText.push(number)
      continue
    }
    const isTextless = await context.textlessPages.includes(number, page.textLayer)
    const recognized = isTextless ? await context.scans.read(pdf, number, page.textLayer) : []
    if (!recognized) withoutText.push(number)
    pages.push({ ...page, recognized: recognized ?? [], textLayer: "" })
    characters += page.text.length
    if (characters > context.limits.characters) break
  }
  if (pages.length === 0) failUnreadable("damaged", { id: "document_pdf_damaged" })
  return { withoutText, ...joinPages(pages, new Set(withoutText)) }
}
