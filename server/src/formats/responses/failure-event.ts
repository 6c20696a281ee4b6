import { decodeEvents } from "@portico/sse"
import type { AnswerError } from "../error-body.ts"
import { type Fields, isObject, objectsIn, parseObject, textOf } from "../json-values.ts"
import { formatTypedEvent } from "../sse-events.ts"

/** Events of a stream that were sent to the client: the first ones, and the last ones. */
export interface SentEvents {
  first: Buffer | null
  last: Buffer | null
}

/** Codes that clients act on; see the `error` of the response object. */
const knownCodes = new Set([
  ...["context_length_exceeded", "insufficient_quota", "invalid_prompt", "rate_limit_exceeded"],
  ...["server_is_overloaded"],
])

/** The `error` of a response object. */
export const toResponseError = ({ code, message, status }: AnswerError) => {
  if (knownCodes.has(code)) return { code, message }
  return { code: status === 429 ? "rate_limit_exceeded" : "server_error", message }
}

/** Events after which nothing follows. */
export const lastEventTypes: ReadonlySet<string> = new Set([
  ...["response.completed", "response.incomplete", "response.failed"],
])

/** The events in these bytes, except `[DONE]`. */
const eventsIn = (bytes: Buffer | null): Fields[] =>
  bytes ? decodeEvents(bytes).flatMap(({ data }) => objectsIn([parseObject(data)])) : []

/** The provider may have reported why it stops, which not every client reads. */
const reportedError = (event: Fields | undefined): Fields | null => {
  if (event?.type === "error") return isObject(event.error) ? event.error : event
  return event?.type === undefined && isObject(event?.error) ? event.error : null
}

const mergeErrors = (error: AnswerError, reported: Fields | null): AnswerError => {
  const { message, code } = reported ?? {}
  return { ...error, message: textOf(message) || error.message, code: textOf(code) || error.code }
}

/**
 * The event that ends a stream early: it continues the numbering, and repeats the response that the
 * first event contains. Empty if the stream has ended.
 * @see https://platform.openai.com/docs/api-reference/responses-streaming/response/failed
 */
export const formatResponsesFailure = (error: AnswerError, { first, last }: SentEvents): string => {
  const lastEvents = eventsIn(last)
  if (lastEvents.some(({ type }) => lastEventTypes.has(textOf(type)))) return ""
  const lastNumber = lastEvents.findLast(
    ({ sequence_number }) => typeof sequence_number === "number",
  )?.sequence_number
  const sequence_number = typeof lastNumber === "number" ? lastNumber + 1 : 0
  const cause = toResponseError(mergeErrors(error, reportedError(lastEvents.at(-1))))
  const started = eventsIn(first).find(({ response }) => isObject(response))?.response
  if (!isObject(started)) {
    return formatTypedEvent({ type: "error", sequence_number, ...cause, param: null })
  }
  const response = { ...started, status: "failed", error: cause }
  return formatTypedEvent({ type: "response.failed", sequence_number, response })
}
