import { framed, json, streamHead, wordOf } from "./responses.ts"

/** Prebuilt replies of the mock upstream in the formats of Messages and Responses. */

const chunks = 50

const event = (fields: { type: string; [member: string]: unknown }): string =>
  `event: ${fields.type}\ndata: ${JSON.stringify(fields)}\n\n`

/** One buffer per write, the first with the headers. */
const writesOf = (events: readonly string[]): readonly Buffer[] =>
  [...events.map(framed), "0\r\n\r\n"].map((text, index) =>
    Buffer.from(index === 0 ? streamHead + text : text),
  )

const words = Array.from({ length: chunks - 2 }, (_, index) => wordOf(index))

const usage = { input_tokens: 19, output_tokens: 48 }
const message = {
  ...{ id: "msg_bench", type: "message", role: "assistant", model: "bench-model", content: [] },
  ...{ stop_reason: null, stop_sequence: null, usage },
}

export const messagesStream = writesOf([
  event({ type: "message_start", message }) +
    event({
      type: "content_block_start",
      index: 0,
      content_block: { type: "text", text: "" },
    }),
  ...words.map((text) =>
    event({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text },
    }),
  ),
  event({ type: "content_block_stop", index: 0 }) +
    event({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage,
    }) +
    event({ type: "message_stop" }),
])

const response = { id: "resp_bench", object: "response", status: "in_progress", output: [] }
const item = { id: "msg_bench", type: "message", role: "assistant", content: [] }
const text = words.join("")

const numbered = (events: readonly { type: string; [member: string]: unknown }[]) =>
  events.map((fields, sequence_number) => event({ ...fields, sequence_number }))

export const responsesStream = writesOf(
  numbered([
    { type: "response.created", response },
    { type: "response.output_item.added", output_index: 0, item },
    ...words.map((delta) => ({
      type: "response.output_text.delta",
      ...{ item_id: item.id, output_index: 0, content_index: 0, delta, logprobs: [] },
    })),
    {
      type: "response.completed",
      response: {
        ...response,
        status: "completed",
        output: [{ ...item, content: [{ type: "output_text", text, annotations: [] }] }],
        usage: { ...usage, total_tokens: 67 },
      },
    },
  ]),
)

export const badRequest = json("400 Bad Request", '{"error":{"message":"model is missing"}}')

export const claudeModels = json(
  "200 OK",
  JSON.stringify({ data: [{ type: "model", id: "bench-claude", display_name: "Bench" }] }),
)
