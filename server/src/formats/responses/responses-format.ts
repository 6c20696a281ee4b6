import type { InboundFormat } from "../inbound-format.ts"
import { createCompactionEncoder } from "./compaction-format.ts"
import { decodeResponsesRequest } from "./decode-request.ts"
import { createResponseEncoder } from "./encode-response.ts"

/** OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses */
export const responsesFormat: InboundFormat = {
  decodeRequest: decodeResponsesRequest,
  createEncoder: (context) =>
    context.isCompaction ? createCompactionEncoder(context) : createResponseEncoder(context),
}
