import { isGatewayCitation } from "../annotations.ts"
import { type Fields, isObject, objectsIn } from "../json-values.ts"
import { isProviderState } from "../provider-state.ts"

const isForeignThinking = (block: unknown): boolean => {
  if (!isObject(block)) return false
  if (block.type === "redacted_thinking") return isProviderState(block.data)
  return block.type === "thinking" && block.signature === ""
}

const hasForeignCitations = (block: unknown): block is Fields =>
  isObject(block) && objectsIn(block.citations).some(isGatewayCitation)

/** The same block if it has no such citations. */
const removeForeignCitations = (block: unknown): unknown => {
  if (!hasForeignCitations(block)) return block
  const { citations: all, ...rest } = block
  const citations = objectsIn(all).filter((one) => !isGatewayCitation(one))
  return citations.length > 0 ? { ...rest, citations } : rest
}

/**
 * Removes what Anthropic's API rejects as it comes from other providers: thinking without a
 * signature, state that only the gateway can read, and citations. Returns the same array if there is
 * nothing of this.
 */
export const removeForeignContent = (messages: unknown): unknown => {
  if (!Array.isArray(messages)) return messages
  let hasChanged = false
  const changed = messages.map((message) => {
    if (!(isObject(message) && Array.isArray(message.content))) return message
    const isForeign = (block: unknown): boolean =>
      isForeignThinking(block) || hasForeignCitations(block)
    if (!message.content.some(isForeign)) return message
    hasChanged = true
    const own = message.content.filter((block) => !isForeignThinking(block))
    return { ...message, content: own.map(removeForeignCitations) }
  })
  return hasChanged ? changed : messages
}
