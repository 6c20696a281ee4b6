import type { InboundFormat } from "../inbound-format.ts"
import { decodeMessagesRequest } from "./decode-request.ts"
import { createMessageEncoder } from "./encode-response.ts"

/** Anthropic's Messages API: https://platform.claude.com/docs/en/api/messages */
export const messagesFormat: InboundFormat = {
  decodeRequest: decodeMessagesRequest,
  createEncoder: createMessageEncoder,
}
