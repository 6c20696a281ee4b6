import type { Values } from "./values.ts"

/** Fields of forms, whichever they are in. */
export const fields = {
  field_required: "Enter a value.",
  field_not_text: "Enter a text.",
  field_not_number: "Enter a number.",
  field_not_whole_number: "Enter a whole number.",
  field_too_few_characters: ({ min }: Values<"min">) => `Use at least ${min} characters.`,
  field_too_many_characters: ({ max }: Values<"max">) => `Use at most ${max} characters.`,
  field_no_entries: "Add an entry.",
  field_too_few_entries: ({ min }: Values<"min">) => `Add at least ${min} entries.`,
  field_too_many_entries: ({ max }: Values<"max">) => `Use at most ${max} entries.`,
  field_too_small: ({ min }: Values<"min">) => `Enter a number of at least ${min}.`,
  field_not_above: ({ min }: Values<"min">) => `Enter a number above ${min}.`,
  field_too_large: ({ max }: Values<"max">) => `Enter a number of at most ${max}.`,
  field_not_a_choice: ({ choices }: Values<"choices">) => `Choose one of: ${choices}.`,
  name_required: "Enter a name.",
  name_not_one_line: "Remove line breaks and control characters.",
  title_required: "Enter a title.",
  question_required: "Enter a question.",
  ascii_only: "Use printable ASCII characters only.",
  time_not_in_future: "Choose a time in the future.",
}
