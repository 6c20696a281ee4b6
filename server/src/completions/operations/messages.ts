import type { Fields } from "../../formats/json-values.ts"
import { decodeMessagesRequest } from "../../formats/messages/decode-request.ts"
import {
  createMessageEncoder,
  encodeMessagesError,
  formatMessagesError,
} from "../../formats/messages/encode-response.ts"
import { removeForeignContent } from "../../formats/messages/remove-foreign-content.ts"
import { MessagesBody, MessagesResponse } from "../schema.ts"
import { createMemberSearch } from "./member-search.ts"
import { type ApiOperation, relayedOperation, type StreamFormat } from "./operation.ts"
import { buffers, dataLines } from "./stream-end-markers.ts"

const errorLines = [...dataLines('{"type":"error"'), ...dataLines('{"type": "error"')]

/** @see https://platform.claude.com/docs/en/build-with-claude/streaming */
const messagesStream: StreamFormat = {
  endMarkers: {
    terminatorLines: errorLines,
    terminatorMembers: buffers('"type":"message_stop"', '"type": "message_stop"'),
    missingTerminator: null,
    contentStarts: [],
    finishReasons: [],
    errorLines,
  },
  formatFailure: formatMessagesError,
  isNumbered: false,
  ping: 'event: ping\ndata: {"type":"ping"}\n\n',
}

const foreignContent = [
  createMemberSearch('"signature"', /"signature"\s*:\s*""/),
  createMemberSearch('"portico.', /"data"\s*:\s*"portico\./),
  createMemberSearch('"encrypted_index"', /"encrypted_index"\s*:\s*""/),
]

const withOwnContent = (fields: Fields): Fields => {
  const messages = removeForeignContent(fields.messages)
  return messages === fields.messages ? fields : { ...fields, messages }
}

/** Anthropic's Messages API: https://platform.claude.com/docs/en/api/messages */
export const messagesOperation: ApiOperation = {
  ...relayedOperation,
  name: "messages",
  api: "anthropic",
  summary: "Create a message with any model (Anthropic's Messages API)",
  body: MessagesBody,
  response: { schema: MessagesResponse, description: "The message, or its events if streamed" },
  metricName: "messages",
  requiredFields: ["messages"],
  format: { decodeRequest: decodeMessagesRequest, createEncoder: createMessageEncoder },
  passThrough: {
    mayNeedChange: (bytes) => foreignContent.some((isIn) => isIn(bytes)),
    change: withOwnContent,
  },
  fileMember: "messages",
  stream: messagesStream,
  encodeError: encodeMessagesError,
}
