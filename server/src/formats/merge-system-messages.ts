import type { Fields } from "./json-values.ts"
import { partsOf } from "./message-content.ts"

/** A message whose content may be extended. */
interface MergedMessage {
  message: Fields
  /** The contents of the messages that it consists of. */
  contents: unknown[]
}

const joinContents = (contents: readonly unknown[]): unknown =>
  contents.every((content) => typeof content === "string")
    ? contents.join("\n\n")
    : contents.flatMap(partsOf)

const toMessage = ({ message, contents }: MergedMessage): Fields =>
  contents.length === 1 ? message : { ...message, content: joinContents(contents) }

/**
 * Merges system messages: many prompt templates accept only one, at the beginning. A later one
 * becomes part of the user's message before it.
 */
export const mergeSystemMessages = (messages: readonly Fields[]): Fields[] => {
  const merged: MergedMessage[] = []
  for (const message of messages) {
    const last = merged.at(-1)
    const { role, content } = message
    const isSystem = role === "system"
    if (isSystem && (last?.message.role === "system" || last?.message.role === "user")) {
      last.contents.push(content)
    } else {
      const own = isSystem && last ? { ...message, role: "user" } : message
      merged.push({ message: own, contents: [content] })
    }
  }
  return merged.map(toMessage)
}
