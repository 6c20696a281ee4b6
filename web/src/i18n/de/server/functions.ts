import type { functions as english } from "../../../../../server/src/i18n/functions.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const functions = {
  function_exists: ({ id }) => `Eine Funktion mit der ID „${id}“ gibt es bereits.`,
  function_changed: ({ version }) =>
    `Inzwischen wurde Version ${version} gespeichert. Laden Sie die Funktion neu, und nehmen Sie Ihre Änderungen noch einmal vor.`,
  function_id_invalid:
    "Beginnen Sie mit einem Kleinbuchstaben, und verwenden Sie nur a–z, 0–9 und _.",
  function_source_required: "Geben Sie den Quelltext ein.",
  function_host_invalid:
    "Geben Sie einen Host wie api.example.com, *.example.com oder host:8443 ein.",
  function_cancelled: ({ name }) => `Die Funktion „${name}“ wurde abgebrochen.`,
  function_failed: ({ name, reason }) => `Die Funktion „${name}“ ist fehlgeschlagen: ${reason}`,
  function_internal_error: "Ein interner Fehler ist aufgetreten.",
} satisfies TranslationsOf<typeof english>
