import type { AnswerReports } from "../../formats/answer-reports.ts"
import type { AnswerContext } from "../../formats/canonical-request.ts"
import { chatEncoder } from "../../formats/chat-encoder.ts"
import { createCompletionEncoder } from "../../formats/completion-encoder.ts"
import { parseErrorObject } from "../../formats/error-body.ts"
import type { Fields } from "../../formats/json-values.ts"
import { MalformedResponse } from "../../formats/malformed-response.ts"
import { ProviderError } from "../../formats/provider-error.ts"
import {
  type AnswerDecoder,
  type CompletionEncoder,
  createFormatConverter,
} from "../../formats/response-converter.ts"
import { translatable } from "../../i18n/message.ts"
import type { AnswerSources } from "../../knowledge/citations/source-finder.ts"
import type { ProviderModel } from "../../providers/provider.ts"
import { type ProviderKind, providers } from "../../providers/registry.ts"
import { createUsageReport } from "../../usage/parse-token-counts.ts"
import type { TokenCounts } from "../../usage/token-counts.ts"
import { operationNamed } from "../operations/registry.ts"
import { createChatDecoder } from "./chat-decoder.ts"
import { checkBodyValues } from "./check-answer-values.ts"
import { createAnswerEncoder } from "./client-conversion.ts"
import { toBuffer } from "./to-buffer.ts"

/** The format of an answer's client. */
export interface AnswerClient {
  /** The name of the client's operation. */
  operation: string
  /** The client's request. */
  request: Uint8Array
  answerContext: AnswerContext
  /** As in `AnswerOrigin`. */
  originKey: string | null
  sources: Pick<AnswerSources, "sources" | "sources_skipped"> | null
}

/** A whole answer, and the formats of its provider and its client; null for chat completions. */
export interface AnswerToConvert {
  bytes: Uint8Array
  providerFormat: { kind: ProviderKind; model: ProviderModel } | null
  client: AnswerClient | null
}

/** The outcome of a conversion, as a message between threads. */
export interface ConvertedAnswer {
  result:
    | { kind: "answer"; json: Uint8Array }
    | Pick<ProviderError, "status" | "message" | "body" | "retrySeconds" | "name">
    | Pick<MalformedResponse, "message" | "name">
  dropped: readonly string[]
  /** From each `usage` that was read; the provider's own may be large. */
  counts: readonly TokenCounts[]
}

const toMessage = (error: unknown): ConvertedAnswer["result"] => {
  if (error instanceof ProviderError) {
    const { name, status, message, body, retrySeconds } = error
    return { name, status, message, body, retrySeconds }
  }
  if (!(error instanceof MalformedResponse)) throw error
  return { name: error.name, message: error.message }
}

export const createDecoder = (
  { kind, model }: NonNullable<AnswerToConvert["providerFormat"]>,
  reports: AnswerReports,
): AnswerDecoder => {
  const { chatFormat } = providers[kind]
  if (!chatFormat) throw new Error(`Answers of ${kind} are chat completions.`)
  return createChatDecoder(chatFormat, model, reports)
}

const createEncoder = (client: AnswerClient, reports: AnswerReports): CompletionEncoder => {
  const { format } = operationNamed(client.operation)
  if (!format) throw new Error(`Answers to ${client.operation} are not converted.`)
  const request: Fields = JSON.parse(toBuffer(client.request).toString("utf8"))
  const encoder = createAnswerEncoder(format, request, client)
  return createCompletionEncoder(encoder, {
    origin: { key: client.originKey },
    reportDropped: reports.dropped,
    reportUsage: reports.usage,
  })
}

/** Converts an answer to the client's format. */
export const convertWholeAnswer = ({
  bytes,
  providerFormat,
  client,
}: AnswerToConvert): ConvertedAnswer => {
  const dropped: string[] = []
  const counts: TokenCounts[] = []
  const reports: AnswerReports = {
    dropped: (name) => void dropped.push(name),
    usage: createUsageReport((read) => void counts.push(read)),
  }
  const decoder = providerFormat && createDecoder(providerFormat, reports)
  const encoder = client ? createEncoder(client, reports) : chatEncoder
  try {
    const received = toBuffer(bytes)
    checkBodyValues(received)
    const body = parseErrorObject(received.toString("utf8"))
    if (!body) throw new MalformedResponse(translatable("not_a_completion"))
    const json = Buffer.from(createFormatConverter(decoder, encoder).convertBody(body))
    return { result: { kind: "answer", json }, dropped, counts }
  } catch (error) {
    return { result: toMessage(error), dropped, counts }
  }
}
