import { createDocx } from "../../test/files/make-documents.ts"
import type { SourceFile } from "./question-set.ts"

const escapeXml = (text: string): string =>
  text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)

/** A Word document whose properties state when it was last changed. */
const createDatedDocument = (text: string, date: string): Buffer => {
  const paragraphs = text
    .split("\n\n")
    .map((paragraph) => `<w:p><w:r><w:t>${escapeXml(paragraph)}</w:t></w:r></w:p>`)
  const modified = `<dcterms:modified xsi:type="dcterms:W3CDTF">${date}T09:00:00Z</dcterms:modified>`
  return createDocx({
    "word/document.xml": `<w:document><w:body>${paragraphs.join("")}</w:body></w:document>`,
    "word/footnotes.xml": "<w:footnotes/>",
    "docProps/core.xml": `<cp:coreProperties>${modified}</cp:coreProperties>`,
  })
}

/** The bytes to upload: plain text, or a Word document if the file has a date. */
export const contentOf = ({ text, date }: SourceFile): string | Buffer<ArrayBuffer> =>
  date ? Buffer.from(createDatedDocument(text, date)) : text
