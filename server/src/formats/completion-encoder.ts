import { AnswerEventReader, type AnswerReadingOptions } from "./answer-event-reader.ts"
import type { AnswerOrigin } from "./answer-origin.ts"
import type { ReportDropped } from "./canonical-request.ts"
import { toErrorBody } from "./error-body.ts"
import type { AnswerEncoder } from "./inbound-format.ts"
import { type Fields, isObject } from "./json-values.ts"
import { MalformedResponse } from "./malformed-response.ts"
import { throwReportedError } from "./provider-error.ts"
import { readCompletion } from "./read-completion.ts"
import type { CompletionEncoder } from "./response-converter.ts"
import { encodeEach } from "./sse-events.ts"

interface CompletionEncoderContext {
  origin: AnswerOrigin
  /** Called with what the encoder's format has no place for. */
  reportDropped: ReportDropped
  /** Called with each `usage`: a stream may break off before its last one. */
  reportUsage?: ((usage: Fields) => void) | undefined
}

/** Reads chat completions as canonical answers, and writes them with an encoder. */
export const createCompletionEncoder = (
  encoder: AnswerEncoder,
  context: CompletionEncoderContext,
): CompletionEncoder => {
  const reading: AnswerReadingOptions = {
    ...context,
    acceptsText: (tool) => encoder.acceptsText?.(tool) === true,
  }
  const reader = new AnswerEventReader(reading)
  return {
    encodeChunk: (chunk) => {
      if (chunk === null) return encodeEach(reader.end(), encoder.encodeEvent)
      if (!reader.hasStarted) throwReportedError(chunk, encoder.encodeError)
      if (isObject(chunk.usage)) context.reportUsage?.(chunk.usage)
      return encodeEach(reader.read(chunk), encoder.encodeEvent)
    },
    // Some servers leave out `[DONE]`. Without a finish reason the answer is incomplete.
    endStream: () => (reader.hasFinishReason ? encodeEach(reader.end(), encoder.encodeEvent) : ""),
    encodeBody: (body) => {
      throwReportedError(body, encoder.encodeError)
      if (isObject(body.usage)) context.reportUsage?.(body.usage)
      const answer = readCompletion(body, reading)
      if (!answer) throw new MalformedResponse("it is not a chat completion")
      return encoder.encodeAnswer(answer)
    },
    encodeError: (body, status) => {
      const unknown = { message: `The provider responded with status ${status}.`, code: "" }
      return encoder.encodeError({ ...(toErrorBody(body) ?? unknown), status })
    },
  }
}
