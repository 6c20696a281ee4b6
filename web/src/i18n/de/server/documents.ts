import type { documents as english } from "../../../../../server/src/i18n/documents.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const documents = {
  document_has_no_text: ({ type }) => `Diese Datei enthält keinen Text. Erkannter Typ: ${type}.`,
  png_image: "PNG-Bild",
  jpeg_image: "JPEG-Bild",
  gif_image: "GIF-Bild",
  tiff_image: "TIFF-Bild",
  webp_image: "WebP-Bild",
  audio: "Audiodatei",
  video: "Video",
  media: "Video-, Bild- oder Audiodatei",
  archive_7z: "7z-Archiv",
  archive_rar: "RAR-Archiv",
  archive_gzip: "gzip-Archiv",
  archive_bzip2: "bzip2-Archiv",
  archive_xz: "xz-Archiv",
  executable: "Programmdatei",
  webassembly: "WebAssembly-Programm",
  database: "Datenbank",
  font: "Schriftart",
  unknown_binary: "unbekannte Binärdatei",
  document_empty: "Diese Datei enthält keinen lesbaren Text.",
  document_scanned:
    "Dieses PDF enthält keinen Text und ist vermutlich ein Scan. Führen Sie eine Texterkennung (OCR) durch, und laden Sie das Ergebnis hoch.",
  document_pdf_damaged: "Dieses PDF ist beschädigt und lässt sich nicht öffnen.",
  document_too_many_pages: ({ pages, max }) =>
    `Dieses PDF hat ${pages} Seiten (höchstens ${max}). Teilen Sie es in mehrere Dateien auf.`,
  document_password_protected:
    "Diese Datei ist passwortgeschützt. Entfernen Sie das Passwort, und laden Sie sie erneut hoch.",
  document_copy_protected:
    "Diese Datei ist kopiergeschützt (DRM). Laden Sie eine ungeschützte Version hoch.",
  document_zip_archive:
    "Dies ist ein ZIP-Archiv. Entpacken Sie es, und laden Sie die enthaltenen Dateien hoch.",
  document_word_97:
    "Dies ist ein Word-Dokument von vor 2007 (.doc). Öffnen Sie es in Word, speichern Sie es als .docx, und laden Sie es erneut hoch.",
  document_excel_97:
    "Dies ist eine Excel-Arbeitsmappe von vor 2007 (.xls). Öffnen Sie sie in Excel, speichern Sie sie als .xlsx, und laden Sie sie erneut hoch.",
  document_powerpoint_97:
    "Dies ist eine PowerPoint-Präsentation von vor 2007 (.ppt). Öffnen Sie sie in PowerPoint, speichern Sie sie als .pptx, und laden Sie sie erneut hoch.",
  document_visio:
    "Dies ist eine Visio-Zeichnung (.vsd). Öffnen Sie sie in Visio, speichern Sie sie als PDF, und laden Sie dieses hoch.",
  document_publisher:
    "Dies ist ein Publisher-Dokument (.pub). Öffnen Sie es in Publisher, speichern Sie es als PDF, und laden Sie dieses hoch.",
  document_works:
    "Dies ist ein Dokument von Microsoft Works (.wps). Öffnen Sie es in LibreOffice, speichern Sie es als .docx, und laden Sie dieses hoch.",
  document_project:
    "Dies ist ein Plan von Microsoft Project (.mpp). Öffnen Sie ihn in Project, speichern Sie ihn als PDF, und laden Sie dieses hoch.",
  document_hangul:
    "Dies ist ein Hangul-Dokument (.hwp). Öffnen Sie es in Hangul, speichern Sie es als .docx oder PDF, und laden Sie dieses hoch.",
  document_staroffice:
    "Dies ist ein StarOffice-Dokument. Öffnen Sie es in LibreOffice 3 oder 4, speichern Sie es als OpenDocument, und laden Sie dieses hoch.",
  document_windows_installer: "Dies ist ein Windows-Installationspaket (.msi) ohne lesbaren Text.",
  document_ole_unknown:
    "Diese Datei hat ein altes Windows-Format (OLE), das nicht gelesen werden kann. Öffnen Sie sie in ihrem Programm, speichern Sie sie als PDF, und laden Sie dieses hoch.",
  document_binary_workbook:
    "Diese Datei ist eine binäre Excel-Arbeitsmappe (.xlsb). Speichern Sie sie als .xlsx, und laden Sie sie erneut hoch.",
  document_too_many_characters:
    "Diese Datei enthält zu viel Text. Teilen Sie sie in mehrere Dateien auf.",
  document_too_long: "Diese Datei ist zu lang. Teilen Sie sie in mehrere Dateien auf.",
  document_not_text: "Der Name lässt eine Textdatei erwarten, diese Datei ist aber keine.",
  document_nested_too_deeply: "Diese Datei ist zu tief verschachtelt.",
  document_headers_too_large: "Die Kopfzeilen dieser E-Mail sind zu groß (höchstens 1 MB).",
  document_parts_nested_too_deeply:
    "Die Teile dieser E-Mail sind zu tief verschachtelt (höchstens 20 Ebenen).",
  document_has_xml_entities:
    "Diese Datei definiert XML-Entities, die nicht erlaubt sind. Speichern Sie sie ohne diese.",
  document_too_many_parts: "Diese Datei besteht aus zu vielen Teilen.",
  document_too_large_unpacked:
    "Diese Datei ist entpackt zu groß (möglicherweise eine Archivbombe).",
  document_path_invalid: "Diese Datei enthält einen Teil mit ungültigem Pfad.",
  document_compression_unsupported:
    "Diese Datei verwendet ein nicht unterstütztes Kompressionsverfahren.",
  document_zip_incomplete: "Diese Datei ist beschädigt und lässt sich nicht lesen.",
  document_zip_directory_invalid: "Diese Datei ist beschädigt und lässt sich nicht lesen.",
  document_part_missing: "Diese Datei ist beschädigt und lässt sich nicht lesen.",
  document_part_damaged: "Diese Datei ist beschädigt und lässt sich nicht lesen.",
  document_damaged: "Diese Datei ist beschädigt und lässt sich nicht lesen.",
  document_reader_crashed:
    "Beim Auslesen des Textes ist der Speicher ausgegangen oder ein Fehler aufgetreten. Teilen Sie diese Datei in kleinere auf.",
  document_reader_memory_exceeded: ({ max }) =>
    `Das Auslesen des Textes hat mehr als ${max} Arbeitsspeicher benötigt. Teilen Sie diese Datei in kleinere auf.`,
  document_reader_timeout: ({ seconds }) =>
    `Das Auslesen des Textes hat länger als ${seconds} Sekunden gedauert. Teilen Sie diese Datei in kleinere auf.`,
  document_encoding_uncertain: ({ encoding }) =>
    `Dieser Text wurde als ${encoding} gelesen, das ist aber nicht sicher. Wählen Sie eine andere Codierung, wenn er falsch aussieht.`,
  document_pages_without_text: ({ count, pages }) =>
    count === "1"
      ? `Seite ${pages} enthält keinen Text und ist vermutlich ein Scan. Sie wurde nicht gelesen.`
      : `${count} Seiten enthalten keinen Text und sind vermutlich Scans (${pages}). Sie wurden nicht gelesen.`,
  document_pages_recognized: ({ count, pages }) =>
    count === "1"
      ? `Seite ${pages} ist ein Scan. Ihr Text wurde per Texterkennung (OCR) gelesen und kann Fehler enthalten.`
      : `${count} Seiten sind Scans (${pages}). Ihr Text wurde per Texterkennung (OCR) gelesen und kann Fehler enthalten.`,
  document_attachment_unreadable: ({ name }) => `Der Anhang „${name}“ lässt sich nicht lesen.`,
  document_attachment_incomplete: ({ name }) =>
    `Der Anhang „${name}“ wurde nicht vollständig gelesen.`,
  document_attachment_encoding_uncertain: ({ name, encoding }) =>
    `Der Anhang „${name}“ wurde als ${encoding} gelesen, das ist aber nicht sicher.`,
  document_attachments_skipped: ({ max }) => `Nur die ersten ${max} Anhänge wurden gelesen.`,
  document_messages_skipped: ({ read, total }) =>
    `Nur ${read} von ${total} Nachrichten wurden gelesen. Teilen Sie dieses Postfach in mehrere Dateien auf.`,
} satisfies TranslationsOf<typeof english>
