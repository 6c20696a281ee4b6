import type { AnswerReports } from "../../formats/answer-reports.ts"
import { chatEncoder } from "../../formats/chat-encoder.ts"
import { MalformedResponse } from "../../formats/malformed-response.ts"
import { ProviderError } from "../../formats/provider-error.ts"
import { createFormatConverter, type ResponseConverter } from "../../formats/response-converter.ts"
import { createUsageReport } from "../../usage/parse-token-counts.ts"
import type { ReportTokens } from "../../usage/token-counts.ts"
import type { BodyOwner, BodyThread } from "./body-thread.ts"
import { type ClientConversion, createClientEncoder } from "./client-conversion.ts"
import {
  type AnswerClient,
  type AnswerToConvert,
  type ConvertedAnswer,
  createDecoder,
} from "./convert-whole-answer.ts"
import type { DroppedFields } from "./dropped-fields.ts"
import { toBuffer } from "./to-buffer.ts"

export interface AnswerFormats {
  /** Null if the answer is a chat completion. */
  providerFormat: AnswerToConvert["providerFormat"]
  /** Null if the client expects a chat completion. */
  client: ClientConversion | null
  dropped?: DroppedFields | undefined
  /** Called with what a provider reports, in its own format. */
  reportTokens?: ReportTokens | undefined
}

/** @throws {ProviderError | MalformedResponse} as the conversion did */
const readAnswer = ({ result, dropped }: ConvertedAnswer, reports: AnswerReports): Buffer => {
  dropped.forEach(reports.dropped)
  if ("json" in result) return toBuffer(result.json)
  if (!("status" in result)) throw new MalformedResponse(result.message)
  throw new ProviderError(result, result.body, result.retrySeconds)
}

/** What a thread needs to know of the client's format. */
const toAnswerClient = (conversion: ClientConversion): AnswerClient => {
  const { operation, origin, answerContext, request, sources } = conversion
  return { operation: operation.name, request, answerContext, originKey: origin.key, sources }
}

/** Converts answers: streams and small bodies immediately, large bodies in a thread. */
export const createAnswerConverters =
  (thread: BodyThread) =>
  (
    owner: BodyOwner,
    { providerFormat, client, dropped, reportTokens }: AnswerFormats,
  ): ResponseConverter => {
    const reports: AnswerReports = {
      dropped: dropped?.reportAnswer ?? (() => {}),
      usage: reportTokens ? createUsageReport(reportTokens) : () => {},
    }
    const decoder = providerFormat && createDecoder(providerFormat, reports)
    const encoder = client ? createClientEncoder(client, reports.usage) : chatEncoder
    return {
      ...createFormatConverter(decoder, encoder),
      passesBytesUnchanged: !(providerFormat || client),
      convertLargeBody: async (bytes) => {
        const converted = await thread.convertWholeAnswer(owner, {
          bytes,
          providerFormat,
          client: client && toAnswerClient(client),
        })
        for (const counts of converted.counts) reportTokens?.(counts)
        return readAnswer(converted, reports)
      },
    }
  }

export type CreateAnswerConverter = ReturnType<typeof createAnswerConverters>
