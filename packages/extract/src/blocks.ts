/** Location in a document; fields that do not apply are absent. */
export interface PassageLocation {
  /** 1-based. */
  page?: number | undefined
  /** 1-based. */
  slide?: number | undefined
  sheet?: string | undefined
  /** 1-based, including the header row. */
  row?: number | undefined
  /** Headings above it, outermost first. */
  heading?: string[] | undefined
}

/** A unit of a document that is not split if possible: a paragraph, a heading, a row. */
export interface Block {
  text: string
  kind: "heading" | "paragraph" | "row" | "code"
  /**
   * Short blocks of the same page, slide, sheet and headings form one passage; its location is that
   * of the first block, or of the last one if the first is a heading.
   */
  location: PassageLocation
}

export interface ExtractedBlocks {
  blocks: Block[]
  format: string
  pages?: number
}

export interface ExtractionLimits {
  /** Maximum characters of text. */
  characters: number
  /** Maximum decompressed size, in bytes. */
  unpacked: number
  pages: number
  passages: number
}

/** Why a document cannot be read. */
export const unreadableCodes = [
  /** A format that is not read, such as an image or an old Office document. */
  "unsupported",
  /** Pages that are images without a text layer. */
  "scanned",
  /** A readable format, but without any text. */
  "empty",
  /** Several files in one. */
  "archive",
  /** Encrypted with a password, or copy-protected. */
  "protected",
  "damaged",
  /** Content that could attack its reader, such as an archive bomb. */
  "unsafe",
  /** More text, parts or nesting than allowed. */
  "too_large",
  /** More time or memory needed than allowed. */
  "resource_limit",
] as const
export type UnreadableCode = (typeof unreadableCodes)[number]

/** What a file without text is. */
export type UnreadableFileType =
  | `${"png" | "jpeg" | "gif" | "tiff" | "webp"}_image`
  | `archive_${"7z" | "rar" | "gzip" | "bzip2" | "xz"}`
  | "audio"
  | "video"
  | "media"
  | "executable"
  | "webassembly"
  | "database"
  | "font"
  | "unknown_binary"

type DetailId =
  | "document_empty"
  | "document_scanned"
  | "document_zip_archive"
  | "document_old_office_format"
  | "document_password_protected"
  | "document_copy_protected"
  | "document_damaged"
  | "document_pdf_damaged"
  | "document_not_text"
  | "document_zip_incomplete"
  | "document_zip_directory_invalid"
  | "document_part_missing"
  | "document_part_damaged"
  | "document_compression_unsupported"
  | "document_has_xml_entities"
  | "document_path_invalid"
  | "document_too_large_unpacked"
  | "document_too_long"
  | "document_too_many_parts"
  | "document_nested_too_deeply"
  | "document_headers_too_large"
  | "document_parts_nested_too_deeply"
  | "document_reader_crashed"

/** Why a document cannot be read, in detail: an ID for the caller's message, and what it quotes. */
export type UnreadableDetail =
  | { id: DetailId }
  | {
      id: "document_has_no_text"
      values: { type: { id: UnreadableFileType; values: Record<never, never> } }
    }
  | { id: "document_too_many_pages"; values: { pages: number; max: number } }
  | { id: "document_too_many_characters"; values: { max: string } }
  | { id: "document_reader_timeout"; values: { seconds: number } }
  | { id: "document_reader_memory_exceeded"; values: { max: string } }

export interface UnreadableReason {
  code: UnreadableCode
  detail: UnreadableDetail
}

/** A document that cannot be read. */
export class UnreadableDocumentError extends Error {
  override name = "Unreadable"
  readonly reason: UnreadableReason

  constructor(reason: UnreadableReason) {
    super(reason.detail.id)
    this.reason = reason
  }
}

/** @throws {UnreadableDocumentError} always */
export const failUnreadable = (code: UnreadableCode, detail: UnreadableDetail): never => {
  throw new UnreadableDocumentError({ code, detail })
}

/** @throws {UnreadableDocumentError} always */
export const failPasswordProtected = (): never =>
  failUnreadable("protected", { id: "document_password_protected" })

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const controlCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/**
 * Text that every database can store: no control characters, no lone surrogates, `\n` line ends.
 */
export const cleanText = (text: string): string =>
  text.replace(/\r\n?/g, "\n").replace(controlCharacters, "").toWellFormed()

/** Tracks the heading path while a document is read top to bottom. */
export const createHeadingTracker = () => {
  const stack: { level: number; text: string }[] = []
  return {
    enter: (level: number, text: string): void => {
      while ((stack.at(-1)?.level ?? 0) >= level) stack.pop()
      stack.push({ level, text: text.slice(0, 200) })
    },
    path: (): { heading?: string[] } =>
      stack.length > 0 ? { heading: stack.map(({ text }) => text) } : {},
  }
}
