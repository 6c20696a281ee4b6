import type { AnswerReports } from "../formats/answer-reports.ts"
import { readReportedError, retrySecondsOf } from "../formats/error-body.ts"
import { type Fields, isObject, parseObject } from "../formats/json-values.ts"
import { MalformedResponse } from "../formats/malformed-response.ts"
import { ProviderError } from "../formats/provider-error.ts"
import type { ResponseConverter } from "../formats/response-converter.ts"
import type { ChatFormat, ProviderModel } from "../providers/provider.ts"

/** More are formatted one by one, so that other work can be done in between. */
const maxChunksAtOnce = 16

const formatEvent = (data: string): string => `data: ${data}\n\n`

/** Converts a response in a provider's own format to a chat completion. */
export const createChatDecoder = (
  format: ChatFormat,
  model: ProviderModel,
  reports: AnswerReports,
): ResponseConverter => {
  const decodeEvent = format.createStreamDecoder(model, reports)
  let hasStarted = false
  let isComplete = false
  const throwReportedError = (body: Fields): void => {
    const error = readReportedError(body)
    if (!error) return
    const { message, code } = error
    const reported = { message, type: code || null, param: null, code: code || null }
    throw new ProviderError(error, { error: reported }, retrySecondsOf(body))
  }
  /** A stream that ends with an error has no terminator. */
  const formatChunk = (chunk: Fields | null): string => {
    isComplete = chunk === null || isObject(chunk.error)
    return formatEvent(chunk === null ? "[DONE]" : JSON.stringify(chunk))
  }
  function* formatInPieces(chunks: readonly (Fields | null)[]): Generator<string> {
    for (const chunk of chunks) yield formatChunk(chunk)
  }
  return {
    convertEvent: (data) => {
      if (isComplete) return ""
      const event = parseObject(data)
      if (!event) throw new MalformedResponse("it has an event that is not a JSON object")
      if (!hasStarted) throwReportedError(event)
      const chunks = decodeEvent(event)
      hasStarted ||= chunks.length > 0
      return chunks.length > maxChunksAtOnce
        ? formatInPieces(chunks)
        : chunks.map(formatChunk).join("")
    },
    endStream: () => "",
    convertBody: (body) => {
      throwReportedError(body)
      return JSON.stringify(format.decodeResponse(body, model, reports))
    },
    convertError: (body) => {
      const error = format.decodeError(body)
      return error && { error }
    },
  }
}
