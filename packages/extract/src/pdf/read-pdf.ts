import type { DocumentReader } from "../reading-context.ts"
import { failUnreadable } from "../unreadable.ts"
import { openPdf } from "./open-pdf.ts"
import { blocksOfPages, type PageText, readPageText } from "./page-text.ts"

/** The text layer of a PDF, page by page. */
export const readPdf: DocumentReader = async ({ bytes }, { limits }) => {
  const pdf = await openPdf(bytes, limits)
  const texts: PageText[] = []
  let characters = 0
  for (let page = 1; page <= pdf.numPages && characters <= limits.characters; page++) {
    const sheet = await pdf.getPage(page)
    const text = await readPageText(sheet)
    characters += text.length
    texts.push(text)
    sheet.cleanup()
  }
  const blocks = blocksOfPages(texts).flat()
  if (blocks.length === 0) {
    failUnreadable("scanned", { id: "document_scanned" })
  }
  return { format: "pdf", blocks, pages: pdf.numPages }
}
