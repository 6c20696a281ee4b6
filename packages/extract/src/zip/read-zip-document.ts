import type { ExtractedBlocks } from "../blocks.ts"
import { readXlsx } from "../excel/read-xlsx.ts"
import { findDatesInXml } from "../metadata-dates.ts"
import { readEmbeddedDocuments } from "../ooxml/embedded-documents.ts"
import { readRelationships } from "../ooxml/relationships.ts"
import { odfFormat } from "../opendocument/odf-format.ts"
import { readOdf } from "../opendocument/read-odf.ts"
import { readPptx } from "../powerpoint/read-pptx.ts"
import type { DocumentReader, ReadingContext } from "../reading-context.ts"
import { failPasswordProtected, failUnreadable } from "../unreadable.ts"
import { findWordDocument, readDocx } from "../word/read-docx.ts"
import { readEpub } from "./read-epub.ts"
import { openZip, type Zip } from "./zip.ts"

const isEncryptedOdf = (zip: Zip): boolean =>
  zip.readText("META-INF/manifest.xml").includes("encryption-data")

const readByMimetype = (
  zip: Zip,
  type: string,
  context: ReadingContext,
): ExtractedBlocks | null => {
  if (type === "application/epub+zip") return { format: "epub", blocks: readEpub(zip, context) }
  const format = odfFormat(type)
  if (!format) return null
  if (isEncryptedOdf(zip)) failPasswordProtected()
  return readOdf(zip, format, context)
}

const readOfficeDocument = async (
  zip: Zip,
  context: ReadingContext,
): Promise<ExtractedBlocks | null> => {
  const wordDocument = findWordDocument(zip)
  if (wordDocument) return { format: "docx", blocks: await readDocx(zip, wordDocument, context) }
  if (zip.has("ppt/presentation.xml")) return { format: "pptx", ...readPptx(zip) }
  return zip.has("xl/workbook.xml") ? { format: "xlsx", ...readXlsx(zip) } : null
}

/** ECMA-376 part 2, §11. */
const readCoreProperties = (zip: Zip): string => {
  const parts = [...readRelationships(zip, "").values()]
  const part = parts.find(({ type }) => type === "core-properties")
  return zip.readText(part?.target ?? "docProps/core.xml")
}

/** Reads documents in ZIP containers, identified by content rather than filename. */
export const readZipDocument: DocumentReader = async ({ bytes }, context) => {
  const zip = openZip(bytes, context.limits.unpacked)
  const document = await readOfficeDocument(zip, context)
  if (document) {
    const embedded = await readEmbeddedDocuments(zip, context)
    context.noteDates(() => findDatesInXml(readCoreProperties(zip), ["modified", "created"]))
    return { ...document, blocks: [...document.blocks, ...embedded] }
  }
  if (zip.has("xl/workbook.bin")) {
    return failUnreadable("unsupported", { id: "document_binary_workbook" })
  }
  const type = zip.read("mimetype")?.toString("latin1").trim() ?? ""
  return (
    readByMimetype(zip, type, context) ?? failUnreadable("archive", { id: "document_zip_archive" })
  )
}
