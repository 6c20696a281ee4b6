import { isObject, textOf } from "../json-values.ts"
import { isGatewayContent } from "../opaque-content.ts"

/**
 * Removes the reasoning items that OpenAI's servers cannot read: those of other providers, and those
 * without content, as the servers do not store items. Returns the same array if there are none.
 */
export const removeUnreadableReasoning = (input: unknown): unknown => {
  if (!Array.isArray(input)) return input
  const readable = input.filter((item) => {
    if (!isObject(item) || item.type !== "reasoning") return true
    const encrypted = textOf(item.encrypted_content)
    if (encrypted !== "") return !isGatewayContent(encrypted)
    return Array.isArray(item.content) && item.content.length > 0
  })
  return readable.length === input.length ? input : readable
}
