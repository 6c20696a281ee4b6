import { errorEvent } from "../../http/failure-response.ts"
import { providerResponse } from "../schema.ts"
import { relayedOperation, type StreamFormat } from "./operation.ts"
import { buffers, dataLines, doneLines } from "./stream-end-markers.ts"

const errorLines = dataLines('{"error"')

/** @see https://platform.openai.com/docs/api-reference/chat-streaming */
const openaiStream: StreamFormat = {
  endMarkers: {
    terminatorLines: [...doneLines, ...errorLines],
    terminatorMembers: [],
    missingTerminator: "data: [DONE]\n\n",
    contentStarts: buffers('"choices":[{', '"choices": [{'),
    finishReasons: buffers('"finish_reason":"', '"finish_reason": "'),
    errorLines,
  },
  formatFailure: errorEvent,
  isNumbered: false,
  ping: null,
}

/** How operations of OpenAI's API are, unless they say otherwise. */
export const openaiOperation = {
  ...relayedOperation,
  api: "openai",
  response: providerResponse,
  requiredFields: [],
  stream: openaiStream,
} as const
