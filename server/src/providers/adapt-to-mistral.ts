import { type Fields, objectsIn } from "../formats/json-values.ts"
import { partsOf } from "../formats/message-content.ts"

/** Reasoning is a part of the content. */
const toMistralMessage = ({ reasoning_content, ...message }: Fields): Fields => {
  if (typeof reasoning_content !== "string") return message
  const thinking = [{ type: "text", text: reasoning_content }]
  return { ...message, content: [{ type: "thinking", thinking }, ...partsOf(message.content)] }
}

/**
 * Changes a request that the gateway wrote to what Mistral's API accepts.
 * @see https://docs.mistral.ai/capabilities/reasoning/
 */
export const adaptToMistral = (request: Fields): Fields => ({
  ...request,
  messages: objectsIn(request.messages).map(toMistralMessage),
})

export const isMistralHost = (baseUrl: string): boolean =>
  new URL(baseUrl).hostname === "api.mistral.ai"
