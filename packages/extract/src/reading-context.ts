import type { Block, ExtractedBlocks, ExtractionLimits } from "./blocks.ts"
import { parseDocumentDate } from "./document-date.ts"
import type { TextRecognizer } from "./ocr/text-recognizer.ts"

export interface DocumentSource {
  bytes: Buffer
  filename: string
  contentType: string
  /** The user's choice for a text, by its WHATWG label; the encoding is detected by default. */
  encoding?: string | undefined
}

/** A part of a document that was not read, or not for certain; the rest was read. */
export type ReadingWarning =
  /** `encoding` is the WHATWG name of the one that the text was decoded with. */
  | { id: "document_encoding_uncertain"; values: { encoding: string } }
  /** `pages` lists them for readers, such as `2–6, 9`. */
  | { id: "document_pages_without_text"; values: { count: number; pages: string } }
  /** Read from images of the pages. */
  | { id: "document_pages_recognized"; values: { count: number; pages: string } }
  | { id: "document_attachment_unreadable"; values: { name: string } }
  | { id: "document_attachment_incomplete"; values: { name: string } }
  | { id: "document_attachment_encoding_uncertain"; values: { name: string; encoding: string } }
  | { id: "document_attachments_skipped"; values: { max: number } }
  | { id: "document_messages_skipped"; values: { read: number; total: number } }

/** What reading a document may use. */
export interface ReadingResources {
  limits: ExtractionLimits
  /** Null if text recognition is turned off. */
  recognizer: Pick<TextRecognizer, "recognize"> | null
  /** Restarts the time limit. Only for work that is limited in another way. */
  extendTime(): void
}

export interface ReadingContext extends ReadingResources {
  warn(warning: ReadingWarning): void
  /**
   * Notes when the document was last changed, from the dates in its metadata: the first valid one.
   * Of several calls, such as for the messages of a mailbox, the latest date is kept.
   * @param findDates anything that it throws is ignored
   */
  noteDates(findDates: () => readonly string[]): void
  /** Counts one more page; false if too many were recognized already. */
  mayRecognizePage(): boolean
  /**
   * Reads a document inside of the current one. Its blocks get `heading` above their own headings.
   * @returns no blocks, after a warning, if it is unreadable or exceeds a limit
   */
  readAttachment(attachment: DocumentSource, heading: readonly string[]): Promise<Block[]>
}

export type DocumentReader = (
  source: DocumentSource,
  context: ReadingContext,
) => ExtractedBlocks | Promise<ExtractedBlocks>

/** Of a document with all that it contains. */
export const maxAttachments = 100
const maxAttachmentDepth = 3
const maxWarnings = 20
/** Of a document with its attachments; at about four seconds each. */
const maxRecognizedPages = 500

const isLoss = ({ id }: ReadingWarning): boolean =>
  !/_(encoding_uncertain|pages_recognized)$/.test(id)

/** @returns null for what nobody needs to know about an attachment */
const warningOfAttachment = (name: string, warning: ReadingWarning): ReadingWarning | null => {
  switch (warning.id) {
    case "document_pages_recognized":
      return null
    case "document_pages_without_text":
    case "document_messages_skipped":
      return { id: "document_attachment_incomplete", values: { name } }
    case "document_encoding_uncertain":
      return {
        id: "document_attachment_encoding_uncertain",
        values: { name, ...warning.values },
      }
    default:
      return warning
  }
}

/** The context of one document and all its attachments. `read` reads an attachment by its type. */
export class DocumentContext implements ReadingContext {
  readonly limits: ExtractionLimits
  readonly recognizer: ReadingResources["recognizer"]
  readonly extendTime: () => void
  readonly #read: DocumentReader
  /** By their JSON. */
  #warnings = new Map<string, ReadingWarning>()
  /** Names of the attachment that is being read and of those that it is in. */
  readonly #path: string[] = []
  #recognizedPages = 0
  #documentDate: number | null = null
  #attachments = 0
  #attachedCharacters = 0

  constructor(resources: ReadingResources, read: DocumentReader) {
    this.limits = resources.limits
    this.recognizer = resources.recognizer
    this.extendTime = resources.extendTime
    this.#read = read
  }

  /** The most important ones, losses first. */
  get warnings(): ReadingWarning[] {
    const all = [...this.#warnings.values()]
    const notes = all.filter((warning) => !isLoss(warning))
    return [...all.filter(isLoss), ...notes].slice(0, maxWarnings)
  }

  warn(warning: ReadingWarning): void {
    const attachment = this.#path.at(-1)
    const named = attachment === undefined ? warning : warningOfAttachment(attachment, warning)
    if (named) this.#warnings.set(JSON.stringify(named), named)
  }

  /** Unix seconds; null if the document states none. */
  get documentDate(): number | null {
    return this.#documentDate
  }

  /** Dates of attachments say nothing about the document. */
  noteDates(findDates: () => readonly string[]): void {
    if (this.#path.length > 0) return
    try {
      const date = parseDocumentDate(findDates(), Date.now())
      if (date !== null) this.#documentDate = Math.max(date, this.#documentDate ?? date)
    } catch {
      // Malformed metadata does not make a text unreadable.
    }
  }

  mayRecognizePage(): boolean {
    return this.#recognizedPages++ < maxRecognizedPages
  }

  async readAttachment(attachment: DocumentSource, heading: readonly string[]): Promise<Block[]> {
    if (this.#attachments++ === maxAttachments) {
      this.warn({ id: "document_attachments_skipped", values: { max: maxAttachments } })
    }
    if (this.#attachments > maxAttachments) return []
    const charactersBefore = this.#attachedCharacters
    const blocks = await this.#tryRead(attachment)
    // Attachments in it are counted again among its blocks.
    this.#attachedCharacters = charactersBefore
    for (const { text } of blocks) this.#attachedCharacters += text.length
    return blocks.map(({ location, ...block }) => ({
      ...block,
      location: { ...location, heading: [...heading, ...(location.heading ?? [])] },
    }))
  }

  async #tryRead(attachment: DocumentSource): Promise<Block[]> {
    const warnings = new Map(this.#warnings)
    this.#path.push(attachment.filename)
    try {
      const isWithinLimits =
        this.#path.length <= maxAttachmentDepth &&
        this.#attachedCharacters <= this.limits.characters
      if (isWithinLimits) return (await this.#read(attachment, this)).blocks
    } catch {
      // Whatever its reader throws ends the attachment, not the document.
    } finally {
      this.#path.pop()
    }
    this.#warnings = warnings
    this.warn({ id: "document_attachment_unreadable", values: { name: attachment.filename } })
    return []
  }
}
