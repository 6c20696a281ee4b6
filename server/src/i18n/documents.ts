import type { ReadingWarning, UnreadableDetail, UnreadableFileType } from "@portico/extract"
import type { Values } from "./values.ts"

type ValuesIn<Detail> = Detail extends { values: infer V } ? Values<keyof V & string> : never

/** What the text extraction reports needs a message each. */
type DocumentMessages = {
  [Detail in UnreadableDetail | ReadingWarning as Detail["id"]]: [ValuesIn<Detail>] extends [never]
    ? string
    : (values: ValuesIn<Detail>) => string
}

/** Documents without readable text, and documents that were not read completely. */
export const documents = {
  document_has_no_text: ({ type }: Values<"type">) => `This file is ${type}, which holds no text.`,
  png_image: "a PNG image",
  jpeg_image: "a JPEG image",
  gif_image: "a GIF image",
  tiff_image: "a TIFF image",
  webp_image: "a WebP image",
  audio: "an audio file",
  video: "a video",
  media: "a video, image or audio file",
  archive_7z: "a 7z archive",
  archive_rar: "a RAR archive",
  archive_gzip: "a gzip archive",
  archive_bzip2: "a bzip2 archive",
  archive_xz: "an xz archive",
  executable: "an executable",
  webassembly: "a WebAssembly program",
  database: "a database",
  font: "a font",
  unknown_binary: "a binary file of unknown type",
  document_empty: "No readable text in this file.",
  document_scanned:
    "This PDF has no text layer and is probably a scan. Run text recognition (OCR) on it and upload the result.",
  document_pdf_damaged: "This PDF is damaged and can't be opened.",
  document_too_many_pages: ({ pages, max }: Values<"pages" | "max">) =>
    `This PDF has ${pages} pages (maximum ${max}). Split it into several files.`,
  document_password_protected:
    "This file is password-protected. Remove the password and upload it again.",
  document_copy_protected: "This file is copy-protected (DRM). Upload an unprotected version.",
  document_zip_archive: "This is a ZIP archive. Extract it and upload the files it contains.",
  document_word_97:
    "This is a Word document from before 2007 (.doc). Open it in Word, save it as .docx and upload it again.",
  document_excel_97:
    "This is an Excel workbook from before 2007 (.xls). Open it in Excel, save it as .xlsx and upload it again.",
  document_powerpoint_97:
    "This is a PowerPoint presentation from before 2007 (.ppt). Open it in PowerPoint, save it as .pptx and upload it again.",
  document_visio:
    "This is a Visio drawing (.vsd). Open it in Visio, save it as a PDF and upload that.",
  document_publisher:
    "This is a Publisher document (.pub). Open it in Publisher, save it as a PDF and upload that.",
  document_works:
    "This is a Microsoft Works document (.wps). Open it in LibreOffice, save it as .docx and upload that.",
  document_project:
    "This is a Microsoft Project plan (.mpp). Open it in Project, save it as a PDF and upload that.",
  document_hangul:
    "This is a Hangul document (.hwp). Open it in Hangul, save it as .docx or PDF and upload that.",
  document_staroffice:
    "This is a StarOffice document. Open it in LibreOffice 3 or 4, save it as OpenDocument and upload that.",
  document_windows_installer: "This is a Windows installer (.msi), which holds no text.",
  document_ole_unknown:
    "This file uses an old Windows format (OLE) that can't be read. Open it in its application, save it as a PDF and upload that.",
  document_binary_workbook:
    "This file is a binary Excel workbook (.xlsb). Save it as .xlsx and upload it again.",
  document_too_many_characters: ({ max }: Values<"max">) =>
    `This file has more than ${max} characters of text. Split it into several files.`,
  document_too_long: "This file is too long. Split it into several files.",
  document_not_text: "This file is not a text file, although its name suggests one.",
  document_nested_too_deeply: "This file is nested too deeply.",
  document_headers_too_large: "This e-mail's headers are too large (maximum 1 MB).",
  document_parts_nested_too_deeply:
    "This e-mail's parts are nested too deeply (maximum 20 levels).",
  document_has_xml_entities:
    "This file defines XML entities, which are not allowed. Save it without them.",
  document_too_many_parts: "This file has too many parts.",
  document_too_large_unpacked: "This file is too large when decompressed (possible archive bomb).",
  document_path_invalid: "This file contains a part with an invalid path.",
  document_compression_unsupported: "This file uses a compression method that is not supported.",
  document_zip_incomplete: "This file is damaged: its ZIP archive is incomplete.",
  document_zip_directory_invalid: "This file is damaged: its ZIP directory is invalid.",
  document_part_missing: "This file is damaged: one of its parts is missing.",
  document_part_damaged: "This file is damaged: one of its parts can't be decompressed.",
  document_damaged: "This file is damaged and can't be read.",
  document_reader_crashed:
    "Text extraction ran out of memory or crashed. Split this file into smaller ones.",
  document_reader_memory_exceeded: ({ max }: Values<"max">) =>
    `Text extraction needed more than ${max} of memory. Split this file into smaller ones.`,
  document_reader_timeout: ({ seconds }: Values<"seconds">) =>
    `Text extraction took longer than ${seconds} seconds. Split this file into smaller ones.`,
  document_encoding_uncertain: ({ encoding }: Values<"encoding">) =>
    `This text was read as ${encoding}, but that is not certain. If it looks wrong, choose another encoding.`,
  document_pages_without_text: ({ count, pages }: Values<"count" | "pages">) =>
    count === "1"
      ? `Page ${pages} has no text and is probably a scan. It was not read.`
      : `${count} pages have no text and are probably scans (${pages}). They were not read.`,
  document_pages_recognized: ({ count, pages }: Values<"count" | "pages">) =>
    count === "1"
      ? `Page ${pages} is a scan. Its text was recognized (OCR) and may contain mistakes.`
      : `${count} pages are scans (${pages}). Their text was recognized (OCR) and may contain mistakes.`,
  document_attachment_unreadable: ({ name }: Values<"name">) =>
    `The attachment “${name}” can't be read.`,
  document_attachment_incomplete: ({ name }: Values<"name">) =>
    `The attachment “${name}” was not read completely.`,
  document_attachment_encoding_uncertain: ({ name, encoding }: Values<"name" | "encoding">) =>
    `The attachment “${name}” was read as ${encoding}, but that is not certain.`,
  document_attachments_skipped: ({ max }: Values<"max">) =>
    `Only the first ${max} attachments were read.`,
  document_messages_skipped: ({ read, total }: Values<"read" | "total">) =>
    `Only ${read} of ${total} messages were read. Split this mailbox into several files.`,
} satisfies Record<UnreadableFileType, string> & DocumentMessages
