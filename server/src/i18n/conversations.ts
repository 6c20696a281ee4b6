import type { Values } from "./values.ts"

/** Chats, projects and prompts. */
export const conversations = {
  answer_running: "This answer is still being written. Wait for it or stop it first.",
  previous_answer_running:
    "The previous answer is still being written. Wait for it or stop it first.",
  answer_edited: "You wrote this version. Rate the model's own answer.",
  chat_too_large_to_copy: ({ max }: Values<"max">) =>
    `This chat is too large to copy. The limit is ${max} MB.`,
  import_timeout: "The import timed out. Try again.",
  project_exists: ({ name }: Values<"name">) =>
    `You already have a project named ${name}. Choose another name.`,
  prompt_not_found: "Prompt not found.",
  prompt_read_only: "You can use this prompt, but not change it.",
  prompt_command_required: "Enter a command.",
  prompt_command_invalid: "Use letters, digits, hyphens, and underscores only.",
  prompt_text_required: "Enter the text of the prompt.",
}
