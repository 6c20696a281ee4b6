import { AnswerEventReader } from "./answer-events.ts"
import type { AnswerOrigin } from "./answer-origin.ts"
import type { AnswerReading } from "./answer-reading.ts"
import type { ReportDropped } from "./canonical-request.ts"
import { readCompletion } from "./completion-blocks.ts"
import { readReportedError, retrySecondsOf, toErrorBody } from "./error-body.ts"
import type { AnswerEncoder } from "./inbound-format.ts"
import { type Fields, isObject, parseObject } from "./json-values.ts"
import { MalformedResponse } from "./malformed-response.ts"
import { ProviderError } from "./provider-error.ts"
import type { ResponseConverter } from "./response-converter.ts"

interface AnswerContext {
  origin: AnswerOrigin
  /** Called with what the encoder's format has no place for. */
  reportDropped: ReportDropped
  /** Called with the `usage` of chunks: a stream may break off before its last one. */
  reportUsage?: ((usage: Fields) => void) | undefined
}

/** Converts chat completions to the format of an encoder. */
export const createAnswerConverter = (
  encoder: AnswerEncoder,
  context: AnswerContext,
): ResponseConverter => {
  const reading: AnswerReading = {
    ...context,
    acceptsText: (tool) => encoder.acceptsText?.(tool) === true,
  }
  const reader = new AnswerEventReader(reading)
  function* encodeAll(events: ReturnType<AnswerEventReader["read"]>): Generator<string> {
    for (const event of events) yield* encoder.encodeEvent(event)
  }
  const throwReportedError = (body: Fields): void => {
    const error = readReportedError(body)
    if (error) throw new ProviderError(error, encoder.encodeError(error), retrySecondsOf(body))
  }
  return {
    *convertEvent(data) {
      if (data === "[DONE]") {
        yield* encodeAll(reader.end())
        return
      }
      const chunk = parseObject(data)
      if (!chunk) throw new MalformedResponse("it has an event that is not a JSON object")
      if (!reader.hasStarted) throwReportedError(chunk)
      if (isObject(chunk.usage)) context.reportUsage?.(chunk.usage)
      yield* encodeAll(reader.read(chunk))
    },
    // Some servers leave out `[DONE]`. Without a finish reason the answer is incomplete.
    endStream: () => (reader.hasFinishReason ? encodeAll(reader.end()) : []),
    convertBody: (body) => {
      throwReportedError(body)
      const answer = readCompletion(body, reading)
      if (!answer) throw new MalformedResponse("it is not a chat completion")
      return encoder.encodeAnswer(answer)
    },
    convertError: (body, status) => {
      const unknown = { message: `The provider responded with status ${status}.`, code: "" }
      return encoder.encodeError({ ...(toErrorBody(body) ?? unknown), status })
    },
  }
}
