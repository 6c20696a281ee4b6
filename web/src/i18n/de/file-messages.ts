/** The gateway's messages about files; the keys are its English texts. */
export const fileMessages: Record<string, string> = {
  "File not found.": "Diese Datei gibt es nicht mehr.",
  "Collection not found.": "Diese Sammlung gibt es nicht mehr.",
  "The file is empty.": "Die Datei ist leer.",
  "The file is too large (maximum {max} bytes).": "Die Datei ist zu groß.",
  'File "{name}" cannot be read: {reason}':
    "Die Datei „{name}“ lässt sich nicht auswerten: {reason}",
  'File "{name}" was stored without being processed. Process it first.':
    "Die Datei „{name}“ ist nur gespeichert. Verarbeiten Sie sie zuerst.",
  'File "{name}" is still being processed. Try again in a few seconds.':
    "Die Datei „{name}“ wird noch verarbeitet. Versuchen Sie es in einigen Sekunden erneut.",
  "This file is missing from the gateway's storage. Upload it again.":
    "Diese Datei fehlt im Speicher des Gateways. Laden Sie sie erneut hoch.",
  "This file is missing from the gateway's storage. Upload it again, or ask your administrator to restore it from a backup.":
    "Diese Datei fehlt im Speicher des Gateways. Laden Sie sie erneut hoch, oder lassen Sie sie von der Administration aus einer Sicherung wiederherstellen.",
  "This file type isn't supported: no text can be extracted from {type}.":
    "Dieser Dateityp wird nicht unterstützt: {type}, kein auslesbarer Text.",
  "This file is {type}, which holds no text.":
    "Diese Datei enthält keinen Text. Erkannter Typ: {type}.",
  "a PNG image": "PNG-Bild",
  "a JPEG image": "JPEG-Bild",
  "a GIF image": "GIF-Bild",
  "a TIFF image": "TIFF-Bild",
  "a WebP image": "WebP-Bild",
  "an audio file": "Audiodatei",
  "a video": "Video",
  "a video, image or audio file": "Video-, Bild- oder Audiodatei",
  "a 7z archive": "7z-Archiv",
  "a RAR archive": "RAR-Archiv",
  "a gzip archive": "gzip-Archiv",
  "a bzip2 archive": "bzip2-Archiv",
  "an xz archive": "xz-Archiv",
  "an executable": "Programmdatei",
  "a WebAssembly program": "WebAssembly-Programm",
  "a database": "Datenbank",
  "a font": "Schriftart",
  "a binary file of unknown type": "unbekannte Binärdatei",
  "No readable text in this file.": "Diese Datei enthält keinen lesbaren Text.",
  "This PDF has no text layer and is probably a scan. Run text recognition (OCR) on it and upload the result.":
    "Dieses PDF enthält keinen Text und ist vermutlich ein Scan. Führen Sie eine Texterkennung (OCR) durch, und laden Sie das Ergebnis hoch.",
  "This PDF is damaged and can't be opened.":
    "Dieses PDF ist beschädigt und lässt sich nicht öffnen.",
  "This PDF has {pages} pages (maximum {max}). Split it into several files.":
    "Dieses PDF hat {pages} Seiten (höchstens {max}). Teilen Sie es in mehrere Dateien auf.",
  "This file is password-protected. Remove the password and upload it again.":
    "Diese Datei ist passwortgeschützt. Entfernen Sie das Passwort, und laden Sie sie erneut hoch.",
  "This file is copy-protected (DRM). Upload an unprotected version.":
    "Diese Datei ist kopiergeschützt (DRM). Laden Sie eine ungeschützte Version hoch.",
  "This is a ZIP archive. Extract it and upload the files it contains.":
    "Dies ist ein ZIP-Archiv. Entpacken Sie es, und laden Sie die enthaltenen Dateien hoch.",
  "This file uses an Office format from before 2007 (.doc, .xls, .ppt). Save it as .docx, .xlsx or .pptx and upload it again.":
    "Diese Datei hat ein Office-Format von vor 2007 (.doc, .xls, .ppt). Speichern Sie sie als .docx, .xlsx oder .pptx, und laden Sie sie erneut hoch.",
  "This file has more than {max} characters of text. Split it into several files.":
    "Diese Datei enthält zu viel Text. Teilen Sie sie in mehrere Dateien auf.",
  "This file is too long. Split it into several files.":
    "Diese Datei ist zu lang. Teilen Sie sie in mehrere Dateien auf.",
  "This file is not a text file, although its name suggests one.":
    "Der Name lässt eine Textdatei erwarten, diese Datei ist aber keine.",
  "This file is nested too deeply.": "Diese Datei ist zu tief verschachtelt.",
  "This e-mail's headers are too large (maximum 1 MB).":
    "Die Kopfzeilen dieser E-Mail sind zu groß (höchstens 1 MB).",
  "This e-mail's parts are nested too deeply (maximum 20 levels).":
    "Die Teile dieser E-Mail sind zu tief verschachtelt (höchstens 20 Ebenen).",
  "This file defines XML entities, which are not allowed. Save it without them.":
    "Diese Datei definiert XML-Entities, die nicht erlaubt sind. Speichern Sie sie ohne diese.",
  "This file has too many parts.": "Diese Datei besteht aus zu vielen Teilen.",
  "This file is too large when decompressed (possible archive bomb).":
    "Diese Datei ist entpackt zu groß (möglicherweise eine Archivbombe).",
  "This file contains a part with an invalid path.":
    "Diese Datei enthält einen Teil mit ungültigem Pfad.",
  "This file uses a compression method that is not supported.":
    "Diese Datei verwendet ein nicht unterstütztes Kompressionsverfahren.",
  "This file is damaged: {reason}.": "Diese Datei ist beschädigt und lässt sich nicht lesen.",
  "This file is damaged and can't be read.":
    "Diese Datei ist beschädigt und lässt sich nicht lesen.",
  "Text extraction ran out of memory or crashed. Split this file into smaller ones.":
    "Beim Auslesen des Textes ist der Speicher ausgegangen oder ein Fehler aufgetreten. Teilen Sie diese Datei in kleinere auf.",
  "Text extraction took longer than {seconds} seconds. Split this file into smaller ones.":
    "Das Auslesen des Textes hat länger als {seconds} Sekunden gedauert. Teilen Sie diese Datei in kleinere auf.",
}
