import type { fields as english } from "../../../../../server/src/i18n/fields.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const fields = {
  field_required: "Geben Sie einen Wert ein.",
  field_not_text: "Geben Sie einen Text ein.",
  field_not_number: "Geben Sie eine Zahl ein.",
  field_not_whole_number: "Geben Sie eine ganze Zahl ein.",
  field_too_few_characters: ({ min }) => `Verwenden Sie mindestens ${min} Zeichen.`,
  field_too_many_characters: ({ max }) => `Verwenden Sie höchstens ${max} Zeichen.`,
  field_no_entries: "Fügen Sie einen Eintrag hinzu.",
  field_too_few_entries: ({ min }) => `Fügen Sie mindestens ${min} Einträge hinzu.`,
  field_too_many_entries: ({ max }) => `Verwenden Sie höchstens ${max} Einträge.`,
  field_too_small: ({ min }) => `Geben Sie eine Zahl von mindestens ${min} ein.`,
  field_not_above: ({ min }) => `Geben Sie eine Zahl über ${min} ein.`,
  field_too_large: ({ max }) => `Geben Sie eine Zahl von höchstens ${max} ein.`,
  field_not_a_choice: ({ choices }) => `Wählen Sie eine dieser Optionen: ${choices}.`,
  name_required: "Geben Sie einen Namen ein.",
  name_not_one_line: "Entfernen Sie Zeilenumbrüche und Steuerzeichen.",
  title_required: "Geben Sie einen Titel ein.",
  question_required: "Geben Sie eine Frage ein.",
  ascii_only: "Verwenden Sie nur druckbare ASCII-Zeichen.",
  time_not_in_future: "Wählen Sie einen Zeitpunkt in der Zukunft.",
} satisfies TranslationsOf<typeof english>
