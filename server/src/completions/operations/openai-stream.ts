import { errorEvent } from "../../http/errors.ts"
import type { StreamFormat } from "./operation.ts"
import { buffers, dataLines, doneLines } from "./stream-end-markers.ts"

const errorLines = dataLines('{"error"')

/**
 * Streams of OpenAI's completions.
 * @see https://platform.openai.com/docs/api-reference/chat-streaming
 */
export const openaiStream: StreamFormat = {
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
