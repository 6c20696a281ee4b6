import { type Sniffed, sniff } from "../file-type.ts"
import { readPacked, refuseOle } from "./archive.ts"
import { type Block, type Extracted, unreadable } from "./blocks.ts"
import { charsetOf, readHtml } from "./html.ts"
import { readMail } from "./mail.ts"
import { readPdf } from "./pdf.ts"
import { readCode, readMarkdown, readPlain } from "./plain-text.ts"
import { readRtf } from "./rtf.ts"
import { readJson, readJsonLines, readNotebook, readXml } from "./structured-data.ts"
import { readCsv } from "./table.ts"
import { decode } from "./text-encoding.ts"

export interface Source {
  bytes: Buffer
  filename: string
  contentType: string
}

export interface Limits {
  /** Maximum characters of text. */
  characters: number
  /** Maximum decompressed size, in bytes. */
  unpacked: number
  pages: number
}

type Extractor = (source: Source, limits: Limits) => Extracted | Promise<Extracted>

const code =
  /\.(c|h|cc|cpp|hpp|cs|css|go|java|js|jsx|mjs|cjs|ts|tsx|kt|lua|php|pl|py|r|rb|rs|scala|sh|bash|sql|swift|vue|svelte|toml|ini|cfg|conf|ya?ml|dockerfile|makefile|gradle|tf|proto)$/i

/** Text formats, recognized by content first, then by filename, then by content type. */
const texts: {
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
    read: (text) => readHtml(text),
  },
  {
    format: "xml",
    name: /\.(xml|rss|atom)$/i,
    type: /\bxml$/,
    begins: /^\s*<\?xml/,
    read: readXml,
  },
  { format: "markdown", name: /\.(md|markdown|mdx)$/i, type: /markdown/, read: readMarkdown },
  { format: "code", name: code, read: readCode },
]

const isMail = (head: string, filename: string): boolean =>
  /\.eml$/i.test(filename) ||
  (/^(received|return-path|delivered-to|from|mime-version|message-id):/i.test(head) &&
    /^(subject|from|date):/im.test(head) &&
    /^message-id:|^mime-version:/im.test(head))

const readText: Extractor = async ({ bytes, filename, contentType }) => {
  const head = bytes.toString("latin1", 0, 4096)
  if (isMail(head, filename)) return { format: "eml", blocks: await readMail(bytes) }
  const text = decode(bytes, /<(html|\?xml|meta|head)/i.test(head) ? charsetOf(bytes) : undefined)
  const start = text.slice(0, 4096)
  const kind =
    texts.find(({ begins }) => begins?.test(start)) ??
    texts.find(({ name }) => name.test(filename)) ??
    texts.find(({ type }) => type?.test(contentType))
  return kind
    ? { format: kind.format, blocks: kind.read(text) }
    : { format: "text", blocks: readPlain(text) }
}

type Readable = Extract<Sniffed, { readable: string }>["readable"]

const readers: Record<Readable, Extractor> = {
  pdf: ({ bytes }, limits) => readPdf(bytes, limits),
  zip: ({ bytes }, limits) => readPacked(bytes, limits),
  ole: ({ bytes }) => refuseOle(bytes),
  rtf: ({ bytes }) => ({ format: "rtf", blocks: readRtf(bytes.toString("latin1")) }),
  text: readText,
}

/**
 * Reads a document by its detected type. @throws {UnreadableDocument} with a message for the
 * uploader
 */
export const extract: Extractor = (source, limits) => {
  const kind = sniff(source.bytes.subarray(0, 4096))
  if ("unreadable" in kind)
    return unreadable(`This file is ${kind.unreadable}, which holds no text.`)
  return readers[kind.readable](source, limits)
}
