import { isObject } from "../json-values.ts"

const isUnsigned = (block: unknown): boolean =>
  isObject(block) && block.type === "thinking" && block.signature === ""

/**
 * Removes thinking of other providers, which has no signature: Anthropic's API rejects it. Returns
 * the same array if there is no such thinking.
 */
export const removeUnsignedThinking = (messages: unknown): unknown => {
  if (!Array.isArray(messages)) return messages
  let hasChanged = false
  const changed = messages.map((message) => {
    if (!(isObject(message) && Array.isArray(message.content))) return message
    const content = message.content.filter((block) => !isUnsigned(block))
    if (content.length === message.content.length) return message
    hasChanged = true
    return { ...message, content }
  })
  return hasChanged ? changed : messages
}
