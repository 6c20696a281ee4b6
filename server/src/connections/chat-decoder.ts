import { parseObject } from "../formats/json-values.ts"
import { MalformedResponse } from "../formats/malformed-response.ts"
import type { ResponseConverter } from "../formats/response-converter.ts"
import type { ChatFormat, ProviderModel } from "../providers/provider.ts"

const formatEvent = (data: string): string => `data: ${data}\n\n`

/** Converts a response in a provider's own format to a chat completion. */
export const createChatDecoder = (format: ChatFormat, model: ProviderModel): ResponseConverter => {
  const decodeEvent = format.createStreamDecoder(model)
  let isComplete = false
  return {
    convertEvent: (data) => {
      if (isComplete) return ""
      const event = parseObject(data)
      if (!event) throw new MalformedResponse("it has an event that is not a JSON object")
      let text = ""
      for (const chunk of decodeEvent(event)) {
        isComplete = chunk === null
        text += formatEvent(chunk === null ? "[DONE]" : JSON.stringify(chunk))
      }
      return text
    },
    endStream: () => "",
    convertBody: (body) => format.decodeResponse(body, model),
    convertError: (body) => {
      const error = format.decodeError(body)
      return error && { error }
    },
  }
}
