import type { conversations as english } from "../../../../../server/src/i18n/conversations.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const conversations = {
  answer_running:
    "Diese Antwort wird noch geschrieben. Warten Sie auf sie, oder stoppen Sie sie zuerst.",
  previous_answer_running:
    "Die vorherige Antwort wird noch geschrieben. Warten Sie auf sie, oder stoppen Sie sie zuerst.",
  answer_edited: "Diese Fassung stammt von Ihnen. Bewerten Sie die Antwort des Modells.",
  chat_too_large_to_copy: ({ max }) =>
    `Dieser Chat ist zu groß zum Kopieren. Höchstens ${max} MB sind möglich.`,
  import_timeout: "Der Import hat zu lange gedauert. Versuchen Sie es erneut.",
  project_exists: ({ name }) =>
    `Sie haben bereits ein Projekt namens ${name}. Wählen Sie einen anderen Namen.`,
  prompt_not_found: "Diesen Prompt gibt es nicht mehr.",
  prompt_read_only: "Sie können diesen Prompt verwenden, aber nicht ändern.",
  prompt_command_required: "Geben Sie einen Befehl ein.",
  prompt_command_invalid: "Verwenden Sie nur Buchstaben, Ziffern, Binde- und Unterstriche.",
  prompt_text_required: "Geben Sie den Text des Prompts ein.",
} satisfies TranslationsOf<typeof english>
