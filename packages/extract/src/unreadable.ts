import type { UnreadableFileType } from "./file-type.ts"

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

/** Documents in OLE compound files, which only the application that wrote them reads. */
export type UnsupportedOleDocument =
  | "document_word_97"
  | "document_excel_97"
  | "document_powerpoint_97"
  | "document_visio"
  | "document_publisher"
  | "document_works"
  | "document_project"
  | "document_hangul"
  | "document_staroffice"
  | "document_windows_installer"
  | "document_ole_unknown"

type DetailId =
  | UnsupportedOleDocument
  | "document_empty"
  | "document_scanned"
  | "document_zip_archive"
  | "document_binary_workbook"
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

/** A document cannot be read. */
export class UnreadableDocumentError extends Error {
  override name = "UnreadableDocumentError"
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
