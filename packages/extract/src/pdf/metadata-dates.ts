import type { PdfDocument } from "./open-pdf.ts"

const toTexts = (value: unknown): string[] => (typeof value === "string" ? [value] : [])

/**
 * When the document was changed, then when it was created, each in its information dictionary and
 * then in its XMP metadata.
 */
export const readMetadataDates = async (pdf: PdfDocument): Promise<string[]> => {
  try {
    const { info, metadata } = await pdf.getMetadata()
    const { ModDate, CreationDate } = { ModDate: null, CreationDate: null, ...info }
    const changed = [ModDate, metadata?.get("xmp:modifydate")]
    const created = [CreationDate, metadata?.get("xmp:createdate")]
    return [...changed, ...created].flatMap(toTexts)
  } catch {
    // Malformed metadata does not make a document unreadable.
    return []
  }
}
