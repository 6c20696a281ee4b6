import { describe, expect, it } from "vitest"
import {
  convertStream,
  createCompletionConverter,
  createMessageConverter,
  everyCut,
  readMessageStream,
} from "../../../test/messages/message-stream.ts"
import type { Fields } from "../json-values.ts"

const text = (content: string) => ({ type: "text", text: content })
const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input })

describe("a stream of messages converted to chat completions and back", () => {
  const event = (data: { type: string; [name: string]: unknown }): string =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
  const block = (index: number, content_block: object, deltas: object[]): string =>
    [
      event({ type: "content_block_start", index, content_block }),
      ...deltas.map((delta) => event({ type: "content_block_delta", index, delta })),
      event({ type: "content_block_stop", index }),
    ].join("")
  const usage = { input_tokens: 4, cache_creation_input_tokens: 3, cache_read_input_tokens: 5 }
  const message = {
    id: "msg_1",
    model: "claude",
    content: [],
    usage: { ...usage, output_tokens: 1 },
  }
  const stream = [
    event({ type: "message_start", message }),
    event({ type: "ping" }),
    block(0, { type: "thinking", thinking: "", signature: "" }, [
      { type: "thinking_delta", thinking: "Schön " },
      { type: "thinking_delta", thinking: "🐝." },
      { type: "signature_delta", signature: "c2ln" },
    ]),
    block(1, { type: "thinking", thinking: "", signature: "" }, [
      { type: "signature_delta", signature: "b21pdA==" },
    ]),
    block(2, { type: "redacted_thinking", data: "cmVk" }, []),
    block(3, { type: "text", text: "" }, [
      { type: "text_delta", text: "Ich " },
      { type: "text_delta", text: "sehe." },
    ]),
    block(4, { type: "tool_use", id: "toolu_1", name: "weather", input: {} }, [
      { type: "input_json_delta", partial_json: "" },
      { type: "input_json_delta", partial_json: '{"city":"Li' },
      { type: "input_json_delta", partial_json: 'ma 👀"}' },
    ]),
    block(5, { type: "tool_use", id: "toolu_2", name: "now", input: {} }, [
      { type: "input_json_delta", partial_json: "" },
    ]),
    block(6, { type: "tool_use", id: "toolu_3", name: "weather", input: { city: "Oslo" } }, []),
    event({
      ...{ type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null } },
      usage: { output_tokens: 7 },
    }),
    event({ type: "message_stop" }),
  ].join("")

  const convertTwice = (chunks: readonly Buffer[]): Fields => {
    const completions = convertStream(createCompletionConverter, chunks)
    return readMessageStream(convertStream(createMessageConverter, [Buffer.from(completions)]))
  }

  it("is the same message, for every place where it is cut", () => {
    const expected = {
      ...{ id: "msg_1", model: "claude", stop_reason: "tool_use" },
      content: [
        { type: "thinking", thinking: "Schön 🐝.", signature: "c2ln" },
        { type: "thinking", thinking: "", signature: "b21pdA==" },
        { type: "redacted_thinking", data: "cmVk" },
        text("Ich sehe."),
        use("toolu_1", "weather", { city: "Lima 👀" }),
        use("toolu_2", "now", {}),
        use("toolu_3", "weather", { city: "Oslo" }),
      ],
      usage: { ...usage, output_tokens: 7 },
    }
    for (const chunks of everyCut(stream)) expect(convertTwice(chunks)).toMatchObject(expected)
  })
})
