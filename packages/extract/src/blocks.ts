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
  place: PassageLocation
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

/** A document that cannot be read; the message is for its uploader. */
export class UnreadableDocument extends Error {
  override name = "Unreadable"
  readonly code: UnreadableCode

  constructor(code: UnreadableCode, message: string) {
    super(message)
    this.code = code
  }
}

/** @throws {UnreadableDocument} always */
export const failUnreadable = (code: UnreadableCode, message: string): never => {
  throw new UnreadableDocument(code, message)
}

/** @throws {UnreadableDocument} always */
export const failPasswordProtected = (): never =>
  failUnreadable(
    "protected",
    "This file is password-protected. Remove the password and upload it again.",
  )

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
