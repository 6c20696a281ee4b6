import type { files as english } from "../../../../../server/src/i18n/files.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const files = {
  file_not_found: "Diese Datei gibt es nicht mehr.",
  file_empty: "Die Datei ist leer.",
  file_too_large: "Die Datei ist zu groß.",
  file_type_unsupported: ({ type }) =>
    `Dieser Dateityp wird nicht unterstützt: ${type}, kein auslesbarer Text.`,
  file_owner_only: "Das kann nur die Person tun, der die Datei gehört.",
  file_lost: "Diese Datei fehlt im Speicher des Gateways. Laden Sie sie erneut hoch.",
  file_content_lost:
    "Diese Datei fehlt im Speicher des Gateways. Laden Sie sie erneut hoch, oder lassen Sie sie von der Administration aus einer Sicherung wiederherstellen.",
  file_unreadable: ({ name, reason }) =>
    `Die Datei „${name}“ lässt sich nicht auswerten: ${reason}`,
  file_not_processed: ({ name }) =>
    `Die Datei „${name}“ ist nur gespeichert. Verarbeiten Sie sie zuerst.`,
  file_processing: ({ name }) =>
    `Die Datei „${name}“ wird noch verarbeitet. Versuchen Sie es in einigen Sekunden erneut.`,
  file_not_read_again: ({ reason }) =>
    `Diese Datei ließ sich nicht erneut lesen, daher wird ihr früherer Text weiter verwendet. ${reason}`,
  file_not_embedded:
    "Das Embedding-Modell hat nicht funktioniert, daher werden Teile dieser Datei nur über Stichwörter gefunden. Das Gateway versucht es weiter.",
  collection_not_found: "Diese Sammlung gibt es nicht mehr.",
  collection_read_only: "Sie können diese Sammlung lesen, aber nicht ändern.",
  collection_file_not_found: "Diese Datei ist nicht in der Sammlung.",
  question_not_found: "Frage nicht gefunden. Vielleicht wurde sie gelöscht.",
  file_required: "Wählen Sie eine Datei.",
  no_questions_to_run: "Fügen Sie zuerst eine Frage hinzu.",
  source_template_without_sources:
    "Schreiben Sie {{sources}} an die Stelle der Textstellen, oder lassen Sie das Feld leer.",
} satisfies TranslationsOf<typeof english>
