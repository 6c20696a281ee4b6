import type { Block, ExtractedBlocks, ExtractionLimits } from "./blocks.ts"
import { type DetectedFileType, detectFileType } from "./file-type.ts"
import { readEmail } from "./mail/read-email.ts"
import { readPdf } from "./pdf/read-pdf.ts"
import {
  DocumentContext,
  type DocumentReader,
  type DocumentSource,
  type ReadingWarning,
} from "./reading-context.ts"
import { readCsv } from "./text/csv.ts"
import { decodeText } from "./text/decode-text.ts"
import { readHtml } from "./text/html.ts"
import { readMarkdown } from "./text/markdown.ts"
import { readCode, readPlainText } from "./text/plain-text.ts"
import { readRtf } from "./text/rtf.ts"
import { readJson, readJsonLines, readNotebook, readXml } from "./text/structured-data.ts"
import { failPasswordProtected, failUnreadable } from "./unreadable.ts"
import { readZipDocument } from "./zip/read-zip-document.ts"

const codeFileName =
  /\.(c|h|cc|cpp|hpp|cs|css|go|java|js|jsx|mjs|cjs|ts|tsx|kt|lua|php|pl|py|r|rb|rs|scala|sh|bash|sql|swift|vue|svelte|toml|ini|cfg|conf|ya?ml|dockerfile|makefile|gradle|tf|proto)$/i

/** Text formats, recognized by content first, then by filename, then by content type. */
const textFormats: {
  format: string
  name: RegExp
  type?: RegExp
  begins?: RegExp
  read(text: string): Block[]
}[] = [
  { format: "ipynb", name: /\.ipynb$/i, read: readNotebook },
  { format: "jsonl", name: /\.(jsonl|ndjson)$/i, type: /ndjson|jsonl/, read: readJsonLines },
  { format: "json", name: /\.json$/i, type: /\bjson$/, read: readJson },
  { format: "csv", name: /\.csv$/i, type: /text\/csv/, read: (text) => readCsv(text) },
  { format: "tsv", name: /\.tsv$/i, read: (text) => readCsv(text, "\t") },
  {
    format: "html",
    name: /\.x?html?$/i,
    type: /html/,
    begins: /^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]{0,500}?-->\s*)?<(!doctype html|html|head|body)\b/i,
    read: readHtml,
  },
  {
    format: "xml",
    name: /\.(xml|rss|atom)$/i,
    type: /\bxml$/,
    begins: /^\s*<\?xml/,
    read: readXml,
  },
  { format: "markdown", name: /\.(md|markdown|mdx)$/i, type: /markdown/, read: readMarkdown },
  { format: "code", name: codeFileName, read: readCode },
]

const isEmail = (head: string, filename: string): boolean =>
  /\.eml$/i.test(filename) ||
  (/^(received|return-path|delivered-to|from|mime-version|message-id):/i.test(head) &&
    /^(subject|from|date):/im.test(head) &&
    /^message-id:|^mime-version:/im.test(head))

const readText: DocumentReader = async (source, context) => {
  const { bytes, filename, contentType } = source
  const head = bytes.toString("latin1", 0, 4096)
  if (isEmail(head, filename)) return { format: "eml", blocks: await readEmail(bytes, context) }
  const text = await decodeText(source, context)
  const start = text.slice(0, 4096)
  const textFormat =
    textFormats.find(({ begins }) => begins?.test(start)) ??
    textFormats.find(({ name }) => name.test(filename)) ??
    textFormats.find(({ type }) => type?.test(contentType))
  return textFormat
    ? { format: textFormat.format, blocks: textFormat.read(text) }
    : { format: "text", blocks: readPlainText(text) }
}

/** OLE containers: encrypted OOXML documents and pre-2007 Office documents. */
const rejectOleDocument = (bytes: Buffer): never =>
  bytes.includes(Buffer.from("EncryptedPackage", "utf16le"))
    ? failPasswordProtected()
    : failUnreadable("unsupported", { id: "document_old_office_format" })

type ReadableType = Extract<DetectedFileType, { readable: string }>["readable"]

const readers: Record<ReadableType, DocumentReader> = {
  pdf: readPdf,
  zip: readZipDocument,
  ole: ({ bytes }) => rejectOleDocument(bytes),
  rtf: ({ bytes }) => ({ format: "rtf", blocks: readRtf(bytes.toString("latin1")) }),
  text: readText,
}

const readByType: DocumentReader = (source, context) => {
  const detected = detectFileType(source.bytes.subarray(0, 4096))
  if ("unreadable" in detected)
    return failUnreadable("unsupported", {
      id: "document_has_no_text",
      values: { type: { id: detected.unreadable, values: {} } },
    })
  return readers[detected.readable](source, context)
}

/** Reads a document and its attachments by their types. @throws {UnreadableDocumentError} */
export const extractBlocks = async (
  source: DocumentSource,
  limits: ExtractionLimits,
): Promise<ExtractedBlocks & { warnings: ReadingWarning[] }> => {
  const context = new DocumentContext(limits, readByType)
  const extracted = await readByType(source, context)
  return { ...extracted, warnings: context.warnings }
}
