import { AnswerEventReader } from "./answer-events.ts"
import { readCompletion } from "./completion-blocks.ts"
import { toErrorBody } from "./error-body.ts"
import type { AnswerEncoder } from "./inbound-format.ts"
import { parseObject } from "./json-values.ts"
import { MalformedResponse } from "./malformed-response.ts"
import type { ResponseConverter } from "./response-converter.ts"

/** Converts chat completions to the format of an encoder. */
export const createAnswerConverter = (encoder: AnswerEncoder): ResponseConverter => {
  const reader = new AnswerEventReader()
  const encodeAll = (events: ReturnType<AnswerEventReader["read"]>): string => {
    let text = ""
    for (const event of events) text += encoder.encodeEvent(event)
    return text
  }
  return {
    convertEvent: (data) => {
      if (data === "[DONE]") return encodeAll(reader.end())
      const chunk = parseObject(data)
      if (!chunk) throw new MalformedResponse("it has an event that is not a JSON object")
      return encodeAll(reader.read(chunk))
    },
    // Some servers leave out `[DONE]`. Without a finish reason the answer is incomplete.
    endStream: () => (reader.hasFinishReason ? encodeAll(reader.end()) : ""),
    convertBody: (body) => {
      const answer = readCompletion(body)
      if (!answer) throw new MalformedResponse("it is not a chat completion")
      return encoder.encodeAnswer(answer)
    },
    convertError: (body, status) => {
      const unknown = { message: `The provider responded with status ${status}.`, code: "" }
      return encoder.encodeError({ ...(toErrorBody(body) ?? unknown), status })
    },
  }
}
