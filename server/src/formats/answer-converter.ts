import { type AnswerEvent, AnswerEventReader } from "./answer-events.ts"
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
import type { EventText } from "./sse-events.ts"

/** More are encoded one by one, so that other work can be done in between. */
const maxEventsAtOnce = 16

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
  function* encodeInPieces(events: readonly AnswerEvent[]): Generator<string> {
    for (const event of events) {
      const text = encoder.encodeEvent(event)
      if (typeof text === "string") yield text
      else yield* text
    }
  }
  const encodeAll = (events: readonly AnswerEvent[]): EventText => {
    if (events.length > maxEventsAtOnce) return encodeInPieces(events)
    let encoded = ""
    for (const [at, event] of events.entries()) {
      const text = encoder.encodeEvent(event)
      if (typeof text !== "string") return followPieces(encoded, text, events.slice(at + 1))
      encoded += text
    }
    return encoded
  }
  function* followPieces(
    before: string,
    pieces: Generator<string>,
    events: readonly AnswerEvent[],
  ): Generator<string> {
    yield before
    yield* pieces
    yield* encodeInPieces(events)
  }
  const throwReportedError = (body: Fields): void => {
    const error = readReportedError(body)
    if (error) throw new ProviderError(error, encoder.encodeError(error), retrySecondsOf(body))
  }
  return {
    convertEvent: (data) => {
      if (data === "[DONE]") return encodeAll(reader.end())
      const chunk = parseObject(data)
      if (!chunk) throw new MalformedResponse("it has an event that is not a JSON object")
      if (!reader.hasStarted) throwReportedError(chunk)
      if (isObject(chunk.usage)) context.reportUsage?.(chunk.usage)
      return encodeAll(reader.read(chunk))
    },
    // Some servers leave out `[DONE]`. Without a finish reason the answer is incomplete.
    endStream: () => (reader.hasFinishReason ? encodeAll(reader.end()) : ""),
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
