import { readFile } from "node:fs/promises"
import type { ExtractionLimits } from "./blocks.ts"
import { extractBlocks } from "./extract-blocks.ts"
import type { RecognitionLanguages } from "./ocr/recognition-languages.ts"
import { TextRecognizer } from "./ocr/text-recognizer.ts"
import { splitIntoPassages } from "./passages.ts"
import type { ReadingWarning } from "./reading-context.ts"
import { failUnreadable, UnreadableDocumentError, type UnreadableReason } from "./unreadable.ts"

/** Request from the parent process. */
export interface ExtractionTask {
  path: string
  filename: string
  contentType: string
  /** The user's choice for a text, by its WHATWG label; the encoding is detected by default. */
  encoding?: string | undefined
  limits: ExtractionLimits
  /** Languages of pages without a text layer; null turns text recognition off. */
  recognition: RecognitionLanguages | null
}

/**
 * Messages to the parent; apart from the first, in this order. They are chunked, so that no single
 * message blocks it for long.
 */
export type ExtractionMessage =
  /** Text recognition begins, or has read a page. Restarts the time limit. */
  | { type: "progress" }
  | { type: "text"; text: string }
  | { type: "passages"; passages: { starts: number; ends: number; location: string }[] }
  | { type: "index"; index: Uint8Array }
  | ({ type: "done" } & DocumentProperties)
  | { type: "unreadable"; reason: UnreadableReason }
  /** The reader threw an unexpected error. */
  | { type: "failed" }

/** What is known of a document in addition to its text. */
export interface DocumentProperties {
  format: string
  pages: number | null
  warnings: ReadingWarning[]
  /** When the document says that it was last changed, in Unix seconds; null if it does not. */
  documentDate: number | null
  /** ISO 639-1; null if it is not recognized. */
  language: string | null
}

/** The module that indexes passages, named by the parent process. */
interface Indexer {
  /** @param texts the passages, each with its headings */
  indexPassages(texts: readonly string[]): Uint8Array
}

const [, , indexerUrl] = process.argv
const textChunkLength = 250_000
const passagesPerMessage = 500

const send = (message: ExtractionMessage): Promise<void> =>
  new Promise((resolve, reject) => {
    process.send?.(message, undefined, {}, (error) => (error ? reject(error) : resolve()))
  })

const extractTask = async ({
  path,
  limits,
  recognition,
  ...source
}: ExtractionTask): Promise<void> => {
  const bytes = await readFile(path)
  const {
    blocks,
    format,
    pages = null,
    warnings,
    documentDate,
  } = await extractBlocks(
    { bytes, ...source },
    {
      limits,
      recognizer: recognition && new TextRecognizer(recognition),
      extendTime: () => void send({ type: "progress" }),
    },
  )
  const { text, passages } = splitIntoPassages(blocks, limits)
  if (passages.length === 0) failUnreadable("empty", { id: "document_empty" })
  const indexed = passages.map(({ starts, ends, location }) =>
    [...(location.heading ?? []), location.sheet ?? "", text.slice(starts, ends)].join("\n"),
  )
  const indexer: Indexer | null = indexerUrl ? await import(indexerUrl) : null
  const index = indexer?.indexPassages(indexed)
  for (let at = 0; at < text.length; at += textChunkLength) {
    await send({ type: "text", text: text.slice(at, at + textChunkLength) })
  }
  for (let at = 0; at < passages.length; at += passagesPerMessage) {
    const batch = passages
      .slice(at, at + passagesPerMessage)
      .map((passage) => ({ ...passage, location: JSON.stringify(passage.location) }))
    await send({ type: "passages", passages: batch })
  }
  if (index) await send({ type: "index", index })
  // Loaded only here, as its data takes up to 85 MB.
  const { detectLanguage } = await import("./language/detect-language.ts")
  const language = detectLanguage(text)
  await send({ type: "done", format, pages, warnings, documentDate, language })
}

/** Recursive parsers overflow the stack on deeply nested documents. */
const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes("call stack")

process.on("message", (task: ExtractionTask) => {
  extractTask(task).catch((error: unknown) => {
    if (error instanceof UnreadableDocumentError)
      return send({ type: "unreadable", reason: error.reason })
    if (!isStackOverflow(error)) return send({ type: "failed" })
    const detail = { id: "document_nested_too_deeply" } as const
    return send({ type: "unreadable", reason: { code: "too_large", detail } })
  })
})
process.on("disconnect", () => process.exit(0))
