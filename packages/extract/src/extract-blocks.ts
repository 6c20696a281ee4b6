import type { Block, ExtractedBlocks } from "./blocks.ts"
import { type DetectedFileType, detectFileType } from "./file-type.ts"
import { readContentLines } from "./mail/content-lines.ts"
import { detectMailFormat } from "./mail/mail-format.ts"
import { findDatesInHtml, findDatesInRtf } from "./metadata-dates.ts"
import { flatOdfFormat } from "./opendocument/odf-format.ts"
import {
  DocumentContext,
  type DocumentReader,
  type DocumentSource,
  type ReadingResources,
  type ReadingWarning,
} from "./reading-context.ts"
import { readCsv } from "./text/csv.ts"
import { decodeText } from "./text/decode-text.ts"
import { readHtml } from "./text/html.ts"
import { readMarkdown } from "./text/markdown.ts"
import { readCode, readPlainText } from "./text/plain-text.ts"
import { readRtf } from "./text/rtf.ts"
import { readJson, readJsonLines, readNotebook, readXml } from "./text/structured-data.ts"
import { failUnreadable } from "./unreadable.ts"

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
  {
    format: "icalendar",
    name: /\.ics$/i,
    type: /text\/calendar/,
    begins: /^\s*BEGIN:VCALENDAR/i,
    read: readContentLines,
  },
  {
    format: "vcard",
    name: /\.vcf$/i,
    type: /vcard/,
    begins: /^\s*BEGIN:VCARD/i,
    read: readContentLines,
  },
  { format: "markdown", name: /\.(md|markdown|mdx)$/i, type: /markdown/, read: readMarkdown },
  { format: "code", name: codeFileName, read: readCode },
]

const readText: DocumentReader = async (source, context) => {
  const { filename, contentType } = source
  const mailFormat = detectMailFormat(source)
  if (mailFormat) {
    const { mailReaders } = await import("./mail/mail-readers.ts")
    return { format: mailFormat, blocks: await mailReaders[mailFormat](source, context) }
  }
  const text = await decodeText(source, context)
  const start = text.slice(0, 4096)
  const odfFormat = flatOdfFormat(start)
  if (odfFormat) {
    const { readFlatOdf } = await import("./opendocument/read-odf.ts")
    return readFlatOdf(text, odfFormat, context)
  }
  const textFormat =
    textFormats.find(({ begins }) => begins?.test(start)) ??
    textFormats.find(({ name }) => name.test(filename)) ??
    textFormats.find(({ type }) => type?.test(contentType))
  if (textFormat?.format === "html") context.noteDates(() => findDatesInHtml(text))
  return textFormat
    ? { format: textFormat.format, blocks: textFormat.read(text) }
    : { format: "text", blocks: readPlainText(text) }
}

const readRtfDocument: DocumentReader = ({ bytes }, context) => {
  const source = bytes.toString("latin1")
  context.noteDates(() => findDatesInRtf(source))
  return { format: "rtf", blocks: readRtf(source) }
}

type ReadableType = Extract<DetectedFileType, { readable: string }>["readable"]

/** Loaded when the first document needs them: that takes longer than to read most texts. */
const readers: Record<ReadableType, () => Promise<DocumentReader>> = {
  pdf: async () => (await import("./pdf/read-pdf.ts")).readPdf,
  zip: async () => (await import("./zip/read-zip-document.ts")).readZipDocument,
  ole: async () => (await import("./ole/read-ole-document.ts")).readOleDocument,
  tnef: async () => (await import("./mail/read-tnef.ts")).readTnef,
  rtf: async () => readRtfDocument,
  text: async () => readText,
}

const readByType: DocumentReader = async (source, context) => {
  const detected = detectFileType(source.bytes.subarray(0, 4096))
  if ("unreadable" in detected)
    return failUnreadable("unsupported", {
      id: "document_has_no_text",
      values: { type: { id: detected.unreadable, values: {} } },
    })
  const read = await readers[detected.readable]()
  return read(source, context)
}

interface ExtractedDocument extends ExtractedBlocks {
  warnings: ReadingWarning[]
  /** Unix seconds; null if the document states none. */
  documentDate: number | null
}

/** Reads a document and its attachments by their types. @throws {UnreadableDocumentError} */
export const extractBlocks = async (
  source: DocumentSource,
  resources: ReadingResources,
): Promise<ExtractedDocument> => {
  const context = new DocumentContext(resources, readByType)
  const extracted = await readByType(source, context)
  const { warnings, documentDate } = context
  return { ...extracted, warnings, documentDate }
}
