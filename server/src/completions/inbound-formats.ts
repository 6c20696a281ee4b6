import type { InboundFormat } from "../formats/inbound-format.ts"
import { messagesFormat } from "../formats/messages/messages-format.ts"
import { compactionFormat } from "../formats/responses/compaction-format.ts"
import { responsesFormat } from "../formats/responses/responses-format.ts"
import type { CompletionOperation } from "../providers/provider.ts"
import type { ModelRequest } from "./request.ts"

/** The formats of inbound APIs whose requests any model can answer. */
const inboundFormats: Partial<Record<CompletionOperation, InboundFormat>> = {
  messages: messagesFormat,
  "messages/count_tokens": messagesFormat,
  responses: responsesFormat,
  "responses/compact": compactionFormat,
}

export const findInboundFormat = ({
  operation,
}: Pick<ModelRequest, "operation">): InboundFormat | undefined => inboundFormats[operation]
