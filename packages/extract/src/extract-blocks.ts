import type { Block, ExtractedBlocks } from "./blocks.ts"
import { type DetectedFileType, detectFileType } from "./file-type.ts"
import { readContentLines } from "./mail/content-lines.ts"
import { detectMailFormat, type MailFormat } from "./mail/mail-format.ts"
import { readEml, readEmlx, readMhtml } from "./mail/read-eml.ts"
import { readMbox } from "./mail/read-mbox.ts"
import { readTnef } from "./mail/read-tnef.ts"
import { readOleDocument } from "./ole/read-ole-document.ts"
import { flatOdfFormat, readFlatOdf } from "./opendocument/read-odf.ts"
import { readPdf } from "./pdf/read-pdf.ts"
import {
  DocumentContext,
  type DocumentReader,
  type DocumentSource,
  type ReadingContext,
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

const mailReaders: Readonly<
  Record<MailFormat, (source: DocumentSource, context: ReadingContext) => Promise<Block[]>>
> = { eml: readEml, emlx: readEmlx, mbox: readMbox, mhtml: readMhtml }

const readText: DocumentReader = async (source, context) => {
  const { filename, contentType } = source
  const mailFormat = detectMailFormat(source)
  if (mailFormat)
    return { format: mailFormat, blocks: await mailReaders[mailFormat](source, context) }
  const text = await decodeText(source, context)
  const start = text.slice(0, 4096)
  const odfFormat = flatOdfFormat(start)
  if (odfFormat) return readFlatOdf(text, odfFormat)
  const textFormat =
    textFormats.find(({ begins }) => begins?.test(start)) ??
    textFormats.find(({ name }) => name.test(filename)) ??
    textFormats.find(({ type }) => type?.test(contentType))
  return textFormat
    ? { format: textFormat.format, blocks: textFormat.read(text) }
    : { format: "text", blocks: readPlainText(text) }
}

type ReadableType = Extract<DetectedFileType, { readable: string }>["readable"]

const readers: Record<ReadableType, DocumentReader> = {
  pdf: readPdf,
  zip: readZipDocument,
  ole: readOleDocument,
  tnef: readTnef,
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
  resources: ReadingResources,
): Promise<ExtractedBlocks & { warnings: ReadingWarning[] }> => {
  const context = new DocumentContext(resources, readByType)
  const extracted = await readByType(source, context)
  return { ...extracted, warnings: context.warnings }
}
