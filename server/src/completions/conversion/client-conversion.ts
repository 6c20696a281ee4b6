import type { AnswerOrigin } from "../../formats/answer-origin.ts"
import type { AnswerContext } from "../../formats/canonical-request.ts"
import { createCompletionEncoder } from "../../formats/completion-encoder.ts"
import { endOnce } from "../../formats/end-once.ts"
import type { AnswerError } from "../../formats/error-body.ts"
import type { AnswerEncoder, InboundFormat } from "../../formats/inbound-format.ts"
import type { Fields } from "../../formats/json-values.ts"
import type { CompletionEncoder } from "../../formats/response-converter.ts"
import { joinPieces } from "../../formats/sse-events.ts"
import type { AnswerSources } from "../../knowledge/citations/source-finder.ts"
import type { ApiOperation, StreamFormat } from "../operations/operation.ts"
import type { ModelRequest } from "../request/model-request.ts"
import { sourceMembersOf } from "../sources/source-encoder.ts"
import type { DroppedFields } from "./dropped-fields.ts"

/** A client's request in its own format, and as a canonical prompt. */
export interface ConvertedRequest {
  /** As the client sent it. */
  received: ModelRequest
  /** For endpoints that speak the client's format; null if they must not get it. */
  passThrough: ModelRequest | null
  /** The canonical prompt: a chat completion request. */
  canonical: ModelRequest
  format: InboundFormat
  /** Hints that the canonical prompt lacks. */
  dropped: readonly string[]
  answerContext: AnswerContext
}

/** How the answer to a converted request reaches the client. */
export interface ClientConversion {
  /** The client's request, for endpoints that speak its format; null if the gateway changes it. */
  passThrough: ModelRequest | null
  /** The client's operation. */
  operation: ApiOperation
  encoder: AnswerEncoder
  /** What the encoder depends on, for a thread: the bytes of the client's request, and the rest. */
  request: Buffer
  answerContext: AnswerContext
  sources: Pick<AnswerSources, "sources" | "sources_skipped"> | null
  /** Set with each attempt. */
  origin: AnswerOrigin
  dropped: DroppedFields
}

/** Writes the answer to a client's request in its format. */
export const createAnswerEncoder = (
  format: InboundFormat,
  request: Fields,
  { answerContext, sources }: Pick<ClientConversion, "answerContext" | "sources">,
): AnswerEncoder =>
  format.createEncoder({
    request,
    ...answerContext,
    sourceMembers: (text) => (sources ? { ...sourceMembersOf(sources, text) } : {}),
  })

export const createClientConversion = (
  { received, passThrough, format, answerContext }: ConvertedRequest,
  citationResult: AnswerSources | null,
  dropped: DroppedFields,
): ClientConversion => ({
  passThrough,
  origin: { key: null },
  dropped,
  operation: received.operation,
  request: received.bytes,
  answerContext,
  sources: citationResult && {
    sources: citationResult.sources,
    sources_skipped: citationResult.sources_skipped,
  },
  encoder: endOnce(
    createAnswerEncoder(format, received.fields, { answerContext, sources: citationResult }),
  ),
})

/** For a stream of which nothing was sent. */
const encodeFailure =
  ({ encoder }: ClientConversion) =>
  (error: AnswerError): string =>
    joinPieces(encoder.encodeEvent({ type: "error", error }))

/** How the client learns that a stream ends early; see `StreamFormat`. */
export const failureFormatOf = (
  { stream }: ApiOperation,
  conversion: ClientConversion | undefined,
): StreamFormat["formatFailure"] => {
  if (!conversion) return stream.formatFailure
  const encode = encodeFailure(conversion)
  if (!stream.isNumbered) return encode
  // The stream may have been passed on from a provider that speaks the client's format.
  return (error, sent) => (sent.first ? stream.formatFailure(error, sent) : encode(error))
}

export const createClientEncoder = (
  { encoder, origin, dropped }: ClientConversion,
  reportUsage?: (usage: Fields) => void,
): CompletionEncoder =>
  createCompletionEncoder(encoder, {
    origin,
    reportDropped: dropped.reportAnswer,
    reportUsage,
  })
