import { createAnswerConverter } from "../formats/answer-converter.ts"
import type { AnswerEncoder, InboundFormat } from "../formats/inbound-format.ts"
import { messagesFormat } from "../formats/messages/messages-format.ts"
import type { ResponseConverter } from "../formats/response-converter.ts"
import { responsesFormat } from "../formats/responses/responses-format.ts"
import { parseAllFields, parseJsonObject, toJsonBody } from "../http/json-object.ts"
import type { AnswerSources } from "../knowledge/citations.ts"
import type { ResolvedModel } from "../models/catalogue.ts"
import { type CompletionOperation, messagesOperations } from "../providers/provider.ts"
import { messagesRelayFormat, openaiRelayFormat, type RelayFormat } from "./relay-format.ts"
import type { ModelRequest } from "./request.ts"
import { sourceMembersOf } from "./source-encoder.ts"

/** The formats of inbound APIs whose requests any model can answer. */
const inboundFormats: Partial<Record<CompletionOperation, InboundFormat>> = {
  messages: messagesFormat,
  responses: responsesFormat,
}

/** A client's request in its own format, and as a canonical prompt. */
export interface ConvertedRequest {
  original: ModelRequest
  /** The canonical prompt: a chat completion request. */
  canonical: ModelRequest
  format: InboundFormat
  /** Hints that the canonical prompt lacks. */
  dropped: readonly string[]
  /** Whether endpoints that speak the client's format may receive the request as it is. */
  mayPassThrough: boolean
}

/** How the answer to a converted request reaches the client. */
export interface ClientConversion {
  /** The client's request, for endpoints that speak its format; null if the gateway changes it. */
  original: ModelRequest | null
  /** The client's operation. */
  operation: CompletionOperation
  encoder: AnswerEncoder
}

export const createConversion = (
  { original, format, mayPassThrough }: ConvertedRequest,
  citationResult: AnswerSources | null,
): ClientConversion => ({
  original: mayPassThrough ? original : null,
  operation: original.operation,
  encoder: format.createEncoder({
    request: original.fields,
    sourceMembers: (text) => (citationResult ? { ...sourceMembersOf(citationResult, text) } : {}),
  }),
})

/** How the response to a request is relayed. */
export const relayFormatOf = ({ operation }: ModelRequest): RelayFormat =>
  messagesOperations.some((one) => one === operation) ? messagesRelayFormat : openaiRelayFormat

export const createClientConverter = ({ encoder }: ClientConversion): ResponseConverter =>
  createAnswerConverter(encoder)

const changesPrompt = ({ workspace }: ResolvedModel): boolean =>
  workspace.some(
    ({ params, meta }) => Object.keys(params).length > 0 || Array.isArray(meta.knowledge),
  )

/** Whether the gateway itself has to read or change the prompt. */
export const readsPrompt = (
  { fields }: ModelRequest,
  resolved: ResolvedModel,
  hasFilters: boolean,
): boolean =>
  hasFilters || resolved.functionModel !== undefined || "files" in fields || changesPrompt(resolved)

/** Whether every endpoint of a model accepts a request as it is. */
export const speaksFormat = async (
  { operation }: ModelRequest,
  { endpoints }: ResolvedModel,
): Promise<boolean> => {
  const upstreams = endpoints.map(({ upstream }) => upstream)
  await Promise.all(upstreams.map((upstream) => upstream.checkOperation(operation)))
  return upstreams.every((upstream) => upstream.hasOperation(operation))
}

export const findInboundFormat = ({ operation }: ModelRequest): InboundFormat | undefined =>
  inboundFormats[operation]

/** @throws {Failure} `unsupported_by_model`, `bad_request` or `body_too_large` */
export const convertRequest = (
  original: ModelRequest,
  format: InboundFormat,
  mayPassThrough: boolean,
): ConvertedRequest => {
  const { fields } = parseAllFields(original)
  const { request, dropped } = format.decodeRequest(fields)
  const object = parseJsonObject(toJsonBody(Buffer.from(JSON.stringify(request))))
  const { model, streamed } = original
  const canonical = { ...object, operation: "chat/completions" as const, model, streamed }
  return { original, canonical, format, dropped, mayPassThrough }
}
