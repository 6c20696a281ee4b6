import { type Fields, objectsIn } from "./json-values.ts"

const toParts = (content: unknown): Fields[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content)

const joinContents = (first: unknown, second: unknown): unknown =>
  typeof first === "string" && typeof second === "string"
    ? `${first}\n\n${second}`
    : [...toParts(first), ...toParts(second)]

/**
 * Merges system messages: many prompt templates accept only one, at the beginning. A later one
 * becomes part of the user's message before it.
 */
export const mergeSystemMessages = (messages: readonly Fields[]): Fields[] => {
  const merged: Fields[] = []
  for (const message of messages) {
    const last = merged.at(-1)
    const isSystem = message.role === "system"
    if (isSystem && (last?.role === "system" || last?.role === "user")) {
      merged[merged.length - 1] = { ...last, content: joinContents(last.content, message.content) }
    } else merged.push(isSystem && last ? { ...message, role: "user" } : message)
  }
  return merged
}
