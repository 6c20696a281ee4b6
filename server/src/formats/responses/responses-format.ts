import type { InboundFormat } from "../inbound-format.ts"
import { decodeResponsesRequest } from "./decode-request.ts"
import { createResponseEncoder } from "./encode-response.ts"

/** OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses */
export const responsesFormat: InboundFormat = {
  decodeRequest: decodeResponsesRequest,
  createEncoder: createResponseEncoder,
}
