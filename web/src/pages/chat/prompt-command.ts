/** "/" at the start of a message, followed by the beginning of a command or words of a title. */
const commandPattern = /^\/([\p{L}\p{N}_-][\p{L}\p{N} _-]{0,60}|)$/u

/** The text after "/" up to the caret; null if no command is being typed. */
export const findPromptCommand = (text: string, caret: number): string | null =>
  commandPattern.exec(text.slice(0, caret))?.[1] ?? null
