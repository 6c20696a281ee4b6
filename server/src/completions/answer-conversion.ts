import { createChatDecoder } from "../connections/chat-decoder.ts"
import type { AnswerReports } from "../formats/answer-reports.ts"
import { MalformedResponse } from "../formats/malformed-response.ts"
import { ProviderError } from "../formats/provider-error.ts"
import type { ResponseConverter } from "../formats/response-converter.ts"
import type { ChatFormat, ProviderModel } from "../providers/provider.ts"
import type { ProviderKind } from "../providers/registry.ts"
import type { TokenCounts } from "../usage/schema.ts"
import type { ConvertedAnswer } from "./answer-steps.ts"
import type { BodyOwner, BodyThread } from "./body-thread.ts"
import { type ClientConversion, createClientConverter } from "./conversion.ts"
import { toBuffer } from "./thread-bytes.ts"

/** @throws {ProviderError | MalformedResponse} as the conversion did */
const readAnswer = (
  { result, dropped, promptTokens }: ConvertedAnswer,
  reports: AnswerReports,
): Buffer => {
  dropped.forEach(reports.dropped)
  promptTokens.forEach(reports.promptTokens)
  if ("json" in result) return toBuffer(result.json)
  if (!("status" in result)) throw new MalformedResponse(result.message)
  const { status, message, body, retrySeconds } = result
  throw new ProviderError({ status, message, code: "" }, body, retrySeconds)
}

/** Converts answers: streams and small bodies immediately, large bodies in a thread. */
export const createAnswerConversion = (thread: BodyThread) => ({
  /** Converts an answer of a provider to a chat completion. */
  createDecoder: (
    owner: BodyOwner,
    format: ChatFormat,
    { kind, model }: { kind: ProviderKind; model: ProviderModel },
    reports: AnswerReports,
  ): ResponseConverter => ({
    ...createChatDecoder(format, model, reports),
    convertLargeBody: async (bytes) =>
      readAnswer(await thread.run(owner, "decodeAnswer", { bytes, kind, model }), reports),
  }),

  /** Converts a chat completion to the client's format. */
  createEncoder: (
    owner: BodyOwner,
    conversion: ClientConversion,
    reportTokens?: (counts: TokenCounts) => void,
  ): ResponseConverter => ({
    ...createClientConverter(conversion, reportTokens),
    convertLargeBody: async (bytes) => {
      const { operation, origin, answerContext, request, sources, dropped } = conversion
      const completion = {
        bytes,
        operation: operation.name,
        request,
        answerContext,
        originKey: origin.key,
        sources,
      }
      const converted = await thread.run(owner, "encodeAnswer", completion)
      return readAnswer(converted, { dropped: dropped.reportAnswer, promptTokens: () => {} })
    },
  }),
})

export type AnswerConversion = ReturnType<typeof createAnswerConversion>
