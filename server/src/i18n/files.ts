import type { Values } from "./values.ts"

/** Files and collections. */
export const files = {
  file_not_found: "File not found.",
  file_empty: "The file is empty.",
  file_too_large: ({ max }: Values<"max">) => `The file is too large (maximum ${max} bytes).`,
  file_type_unsupported: ({ type }: Values<"type">) =>
    `This file type isn't supported: no text can be extracted from ${type}.`,
  file_owner_only: "Only the file's owner can do this.",
  file_lost: "This file is missing from the gateway's storage. Upload it again.",
  file_content_lost:
    "This file is missing from the gateway's storage. Upload it again, or ask your administrator to restore it from a backup.",
  file_unreadable: ({ name, reason }: Values<"name" | "reason">) =>
    `File "${name}" cannot be read: ${reason}`,
  file_not_processed: ({ name }: Values<"name">) =>
    `File "${name}" was stored without being processed. Process it first.`,
  file_processing: ({ name }: Values<"name">) =>
    `File "${name}" is still being processed. Try again in a few seconds.`,
  file_not_read_again: ({ reason }: Values<"reason">) =>
    `This file could not be read again, so its earlier text is still used. ${reason}`,
  file_not_embedded:
    "The embedding model failed, so parts of this file are found by keywords only. The gateway keeps trying.",
  collection_not_found: "Collection not found.",
  collection_read_only: "You can read this collection, but not change it.",
  collection_file_not_found: "File not found in this collection.",
  question_not_found: "Question not found. Somebody may have deleted it.",
  file_required: "Choose a file.",
  no_questions_to_run: "Add a question first.",
  source_template_without_sources:
    "Include {{sources}} where the passages go, or leave this empty.",
}
