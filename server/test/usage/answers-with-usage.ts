import type { Fault } from "../fakes/faults.ts"
import type { JsonObject } from "../fakes/json.ts"
import { formatSseEvent } from "../fakes/responses.ts"

/** An answer of a provider, whole and as a stream. */
export interface AnswerWithUsage {
  body: string
  stream: string
}

const clientPaths = ["/v1/chat/completions", "/v1/messages", "/v1/responses"]

/** Every client API, with and without streaming. */
export const clientCases = clientPaths.flatMap((path) =>
  [false, true].map((stream) => [path, stream] as const),
)

const chatHead = { id: "c", created: 1, model: "gpt-fake" }

export const chatChunk = (members: JsonObject): string =>
  formatSseEvent({ ...chatHead, object: "chat.completion.chunk", ...members })

export const chatAnswer = (usage: JsonObject): AnswerWithUsage => ({
  body: JSON.stringify({
    ...{ ...chatHead, object: "chat.completion", usage },
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  }),
  stream:
    chatChunk({ choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] }) +
    chatChunk({ choices: [], usage }) +
    "data: [DONE]\n\n",
})

const messageHead = { id: "m", type: "message", role: "assistant", model: "claude-fake" }

const messageEvent = (fields: JsonObject): string => formatSseEvent(fields, `${fields.type}`)

/** Claude reports the input when the message starts, and the output when it ends. */
export const claudeAnswer = (input: JsonObject, output: JsonObject): AnswerWithUsage => ({
  body: JSON.stringify({
    ...{ ...messageHead, content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn" },
    usage: { ...input, ...output },
  }),
  stream: [
    {
      type: "message_start",
      message: { ...messageHead, content: [], usage: { ...input, output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: output },
    { type: "message_stop" },
  ]
    .map(messageEvent)
    .join(""),
})

/** Makes a fake send this text in place of its own answer. */
export const replyWith = ({ body, stream }: AnswerWithUsage, streamed: boolean): Fault => ({
  kind: "reply",
  headers: { "content-type": streamed ? "text/event-stream" : "application/json" },
  body: streamed ? stream : body,
})
