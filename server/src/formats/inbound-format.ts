import type { Answer, AnswerEvent } from "./canonical-answer.ts"
import type { AnswerContext, CanonicalRequest } from "./canonical-request.ts"
import type { AnswerError } from "./error-body.ts"
import type { Fields } from "./json-values.ts"
import type { EventText } from "./sse-events.ts"

/** Writes one answer in a client's format. */
export interface AnswerEncoder {
  encodeEvent(event: AnswerEvent): EventText
  /** @returns JSON. @throws {MalformedResponse} */
  encodeAnswer(answer: Answer): string
  /** The body of an error response. */
  encodeError(error: AnswerError): Fields
  /** Whether a tool takes any text instead of JSON; omitted if none does. */
  acceptsText?: (tool: string) => boolean
}

export interface EncoderContext extends AnswerContext {
  /** The client's request. */
  request: Fields
  /**
   * Members to add to the answer: the sources that it is based on. Sources that the text cites are
   * marked; null while the text is not known.
   */
  sourceMembers: (text: string | null) => Fields
}

/** The format of an inbound API other than chat completions. */
export interface InboundFormat {
  /** @throws {Failure} `unsupported_by_model` or `bad_request` */
  decodeRequest(body: Fields): CanonicalRequest
  createEncoder(context: EncoderContext): AnswerEncoder
}
