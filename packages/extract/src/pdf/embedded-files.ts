import type { Block } from "../blocks.ts"
import { maxAttachments, type ReadingContext } from "../reading-context.ts"
import type { PdfDocument } from "./open-pdf.ts"
import type { PageAnnotation } from "./page-annotations.ts"

/** Files that PDF programs attach for themselves: print settings, and each formula as MathML. */
const technicalFile = /\.joboptions$|^(?:mathml|l3ef)[\w-]*\.(?:xml|html|mml)$/i

interface EmbeddedFile {
  id: string
  filename: string
}

/** The files of the document's list and of its pages, each once. */
const listEmbeddedFiles = async (
  pdf: PdfDocument,
  annotations: readonly PageAnnotation[],
): Promise<EmbeddedFile[]> => {
  const listed = (await pdf.getAttachments()) as Map<string, { filename: string }> | null
  const ofDocument = Array.from(listed ?? [], ([id, { filename }]) => ({ id, filename }))
  const ofPages = annotations.flatMap(({ fileId, file }) =>
    fileId && file ? [{ id: fileId, filename: file.filename }] : [],
  )
  const files = new Map([...ofDocument, ...ofPages].map((file) => [file.id, file]))
  return [...files.values()].filter(({ filename }) => !technicalFile.test(filename))
}

/** Reads the files inside of a PDF: portfolios, attachments of the document and of its pages. */
export const readEmbeddedFiles = async (
  pdf: PdfDocument,
  annotations: readonly PageAnnotation[],
  context: ReadingContext,
): Promise<Block[]> => {
  const blocks: Block[] = []
  let unpacked = 0
  const files = await listEmbeddedFiles(pdf, annotations)
  // One more than are read is reported by the context.
  for (const { id, filename } of files.slice(0, maxAttachments + 1)) {
    const bytes = unpacked <= context.limits.unpacked ? await pdf.getAttachmentContent(id) : null
    if (!bytes) {
      context.warn({ id: "document_attachment_unreadable", values: { name: filename } })
      continue
    }
    unpacked += bytes.length
    const file = { bytes: Buffer.from(bytes), filename, contentType: "" }
    for (const block of await context.readAttachment(file, [filename])) blocks.push(block)
  }
  return blocks
}
