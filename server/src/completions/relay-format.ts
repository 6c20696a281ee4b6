import type { AnswerError } from "../formats/error-body.ts"
import type { Fields } from "../formats/json-values.ts"
import { encodeMessagesError, formatMessagesError } from "../formats/messages/encode-response.ts"
import { formatResponsesFailure, type SentEvents } from "../formats/responses/failure-event.ts"
import { type ErrorStyle, errorEvent } from "../http/errors.ts"

/** How an inbound API reports errors, and that a provider is still at work. */
export interface RelayFormat {
  errorStyle: ErrorStyle
  /**
   * The event that ends a stream early; possibly none if the stream has ended.
   * @param sent the first and the last chunk that were sent
   */
  formatFailure(error: AnswerError, sent: SentEvents): string
  /** The body of an error that the gateway words; null if that of the OpenAI API is used. */
  encodeError: ((error: AnswerError) => Fields) | null
  /** Sent while a stream is silent; null if the API has nothing for this. */
  ping: string | null
}

export const openaiRelayFormat: RelayFormat = {
  errorStyle: "openai",
  formatFailure: errorEvent,
  encodeError: null,
  ping: null,
}

export const responsesRelayFormat: RelayFormat = {
  ...openaiRelayFormat,
  formatFailure: formatResponsesFailure,
}

/** @see https://platform.claude.com/docs/en/build-with-claude/streaming#ping-events */
export const messagesRelayFormat: RelayFormat = {
  errorStyle: "anthropic",
  formatFailure: formatMessagesError,
  encodeError: encodeMessagesError,
  ping: 'event: ping\ndata: {"type":"ping"}\n\n',
}
