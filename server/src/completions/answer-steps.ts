import { checkBodyValues } from "../connections/answer-values.ts"
import { createChatDecoder } from "../connections/chat-decoder.ts"
import { createAnswerConverter } from "../formats/answer-converter.ts"
import type { AnswerReports } from "../formats/answer-reports.ts"
import type { AnswerContext } from "../formats/canonical-request.ts"
import { parseErrorObject } from "../formats/error-body.ts"
import { MalformedResponse } from "../formats/malformed-response.ts"
import { ProviderError } from "../formats/provider-error.ts"
import type { ResponseConverter } from "../formats/response-converter.ts"
import { translatable } from "../i18n/message.ts"
import type { AnswerSources } from "../knowledge/citations.ts"
import type { ProviderModel } from "../providers/provider.ts"
import { type ProviderKind, providers } from "../providers/registry.ts"
import { operationNamed } from "./operations/registry.ts"
import { sourceMembersOf } from "./source-encoder.ts"
import { toBuffer } from "./thread-bytes.ts"

/** A whole answer in a provider's own format. */
export interface ReceivedAnswer {
  bytes: Uint8Array
  kind: ProviderKind
  model: ProviderModel
}

/** A whole chat completion, and what its conversion to the client's format depends on. */
export interface CompletionToEncode {
  bytes: Uint8Array
  /** The name of the client's operation. */
  operation: string
  /** The client's request. */
  request: Uint8Array
  answerContext: AnswerContext
  /** As in `AnswerOrigin`. */
  originKey: string | null
  sources: Pick<AnswerSources, "sources" | "sources_skipped"> | null
}

/** The outcome of a conversion, as a message between threads. */
export interface ConvertedAnswer {
  result:
    | { kind: "answer"; json: Uint8Array }
    | Pick<ProviderError, "status" | "message" | "body" | "retrySeconds" | "name">
    | Pick<MalformedResponse, "message" | "name">
  dropped: readonly string[]
  promptTokens: readonly number[]
}

const toMessage = (error: unknown): ConvertedAnswer["result"] => {
  if (error instanceof ProviderError) {
    const { name, status, message, body, retrySeconds } = error
    return { name, status, message, body, retrySeconds }
  }
  if (!(error instanceof MalformedResponse)) throw error
  return { name: error.name, message: error.message }
}

const convert = (
  received: Uint8Array,
  createConverter: (reports: AnswerReports) => ResponseConverter,
): ConvertedAnswer => {
  const dropped: string[] = []
  const promptTokens: number[] = []
  const converter = createConverter({
    dropped: (name) => dropped.push(name),
    promptTokens: (count) => promptTokens.push(count),
  })
  try {
    const bytes = toBuffer(received)
    checkBodyValues(bytes)
    const body = parseErrorObject(bytes.toString("utf8"))
    if (!body) throw new MalformedResponse(translatable("not_a_completion"))
    const json = Buffer.from(converter.convertBody(body))
    return { result: { kind: "answer", json }, dropped, promptTokens }
  } catch (error) {
    return { result: toMessage(error), dropped, promptTokens }
  }
}

/** Converts an answer to a chat completion. */
export const decodeAnswer = ({ bytes, kind, model }: ReceivedAnswer): ConvertedAnswer => {
  const { chatFormat } = providers[kind]
  if (!chatFormat) throw new Error(`Answers of ${kind} are chat completions.`)
  return convert(bytes, (reports) => createChatDecoder(chatFormat, model, reports))
}

/** Converts a chat completion to the client's format. */
export const encodeAnswer = (completion: CompletionToEncode): ConvertedAnswer => {
  const { bytes, operation, answerContext, originKey, sources } = completion
  const { format } = operationNamed(operation)
  if (!format) throw new Error(`Answers to ${operation} are not converted.`)
  const encoder = format.createEncoder({
    request: JSON.parse(toBuffer(completion.request).toString("utf8")),
    ...answerContext,
    sourceMembers: (text) => (sources ? { ...sourceMembersOf(sources, text) } : {}),
  })
  return convert(bytes, ({ dropped }) =>
    createAnswerConverter(encoder, { origin: { key: originKey }, reportDropped: dropped }),
  )
}
