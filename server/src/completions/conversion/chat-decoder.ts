import type { AnswerReports } from "../../formats/answer-reports.ts"
import type { AnswerError } from "../../formats/error-body.ts"
import type { Fields } from "../../formats/json-values.ts"
import { throwReportedError } from "../../formats/provider-error.ts"
import type { AnswerDecoder } from "../../formats/response-converter.ts"
import type { ChatFormat, ProviderModel } from "../../providers/provider.ts"

const toOpenAIError = ({ message, code }: AnswerError): Fields => ({
  error: { message, type: code || null, param: null, code: code || null },
})

/** Reads a response in a provider's own format as a chat completion. */
export const createChatDecoder = (
  format: ChatFormat,
  model: ProviderModel,
  reports: AnswerReports,
): AnswerDecoder => {
  const decodeEvent = format.createStreamDecoder(model, reports)
  let hasStarted = false
  return {
    decodeEvent: (event) => {
      if (!hasStarted) throwReportedError(event, toOpenAIError)
      const chunks = decodeEvent(event)
      hasStarted ||= chunks.length > 0
      return chunks
    },
    decodeBody: (body) => {
      throwReportedError(body, toOpenAIError)
      return format.decodeResponse(body, model, reports)
    },
    decodeError: (body) => {
      const error = format.decodeError(body)
      return error && { error }
    },
  }
}
