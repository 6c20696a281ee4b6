import { getDocumentProxy } from "unpdf"
import type { Block } from "../blocks.ts"
import type { DocumentReader } from "../reading-context.ts"
import { failPasswordProtected, failUnreadable } from "../unreadable.ts"

interface TextItem {
  str?: string
  hasEOL?: boolean
  height?: number
  transform?: readonly unknown[]
}

/** A larger gap, in line heights, separates paragraphs. */
const paragraphGap = 1.6

/** Groups a page's items into paragraphs by line position. */
const paragraphsOf = (items: readonly TextItem[]): string[] => {
  const paragraphs: string[] = []
  let text = ""
  let lastY: number | null = null
  let lastHeight = 0
  let line = ""
  const endLine = (): void => {
    text += `${line}\n`
    line = ""
  }
  for (const { str = "", hasEOL = false, height = 0, transform } of items) {
    const y: number = Number(transform?.[5] ?? lastY ?? 0)
    const gap = lastY === null ? 0 : Math.abs(lastY - y)
    if (line === "" && str.trim() !== "" && gap > paragraphGap * Math.max(lastHeight, height, 1)) {
      paragraphs.push(text)
      text = ""
    }
    line += str
    if (str.trim() !== "") {
      lastY = y
      lastHeight = height
    }
    if (hasEOL) endLine()
  }
  endLine()
  paragraphs.push(text)
  // Rejoins words hyphenated at line ends.
  return paragraphs
    .map((one) => one.replace(/(\p{Ll})-\n(?=\p{Ll})/gu, "$1").trim())
    .filter(Boolean)
}

const openPdf = async (bytes: Buffer) => {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 })
  } catch (error) {
    const name = error instanceof Error ? error.name : ""
    if (name === "PasswordException") return failPasswordProtected()
    return failUnreadable("damaged", { id: "document_pdf_damaged" })
  }
}

/** The text layer of a PDF, page by page. */
export const readPdf: DocumentReader = async ({ bytes }, { limits }) => {
  const pdf = await openPdf(bytes)
  const pages = pdf.numPages
  if (pages > limits.pages) {
    failUnreadable("too_large", {
      id: "document_too_many_pages",
      values: { pages, max: limits.pages },
    })
  }
  const blocks: Block[] = []
  let characters = 0
  for (let page = 1; page <= pages && characters <= limits.characters; page++) {
    const sheet = await pdf.getPage(page)
    const { items } = await sheet.getTextContent()
    const lines = items.flatMap((item) => ("str" in item ? [item] : []))
    for (const text of paragraphsOf(lines)) {
      characters += text.length
      blocks.push({ text, kind: "paragraph", location: { page } })
    }
    sheet.cleanup()
  }
  if (blocks.length === 0) {
    failUnreadable("scanned", { id: "document_scanned" })
  }
  return { format: "pdf", blocks, pages }
}
