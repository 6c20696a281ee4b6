import type { Block } from "../blocks.ts"
import { ScanReader } from "../ocr/scan-reader.ts"
import type { DocumentReader, ReadingContext } from "../reading-context.ts"
import { failUnreadable } from "../unreadable.ts"
import { readEmbeddedFiles } from "./embedded-files.ts"
import { readFieldsWithoutPage } from "./form-fields.ts"
import { readMetadataDates } from "./metadata-dates.ts"
import { openPdf, type PdfDocument } from "./open-pdf.ts"
import { readAnnotations } from "./page-annotations.ts"
import { formatPages, TextlessPages } from "./pages-without-text.ts"
import { readPages } from "./read-pages.ts"
import { readSignatures } from "./signatures.ts"
import { readXfaForm } from "./xfa-form.ts"

const readDynamicForm = async (pdf: PdfDocument, context: ReadingContext): Promise<Block[]> => [
  ...(await readXfaForm(pdf, context.limits.characters)),
  ...(await readEmbeddedFiles(pdf, [], context)),
]

const readDocument = async (
  bytes: Buffer,
  pdf: PdfDocument,
  context: ReadingContext,
): Promise<Block[]> => {
  const annotations = await readAnnotations(pdf)
  const all = [...annotations.values()].flat()
  const signatures = await readSignatures(pdf)
  const textlessPages = new TextlessPages(bytes)
  const { limits } = context
  const scans = new ScanReader(context)
  const resources = { signatures, textlessPages, scans, limits }
  const read = await readPages(pdf, annotations, resources).finally(() => textlessPages.close())
  const values = await readFieldsWithoutPage(pdf, new Set(all.map(({ id }) => id)))
  const fields = values.map((text): Block => ({ text, kind: "paragraph", location: {} }))
  const files = await readEmbeddedFiles(pdf, all, context)
  const { withoutText } = read
  if (!read.hasText && fields.length + files.length === 0) {
    failUnreadable("scanned", { id: "document_scanned" })
  }
  if (withoutText.length > 0) {
    const values = { count: withoutText.length, pages: formatPages(withoutText) }
    context.warn({ id: "document_pages_without_text", values })
  }
  const { recognizedPages } = scans
  if (recognizedPages.length > 0) {
    const values = { count: recognizedPages.length, pages: formatPages(recognizedPages) }
    context.warn({ id: "document_pages_recognized", values })
  }
  return [...read.blocks, ...fields, ...files]
}

/** A PDF page by page: text, form values and comments; then the files that it contains. */
export const readPdf: DocumentReader = async ({ bytes }, context) => {
  const pdf = await openPdf(bytes, context.limits)
  try {
    const blocks = pdf.isPureXfa
      ? await readDynamicForm(pdf, context)
      : await readDocument(bytes, pdf, context)
    const dates = await readMetadataDates(pdf)
    context.noteDates(() => dates)
    return { format: "pdf", blocks, pages: pdf.numPages }
  } finally {
    await pdf.loadingTask.destroy()
  }
}
