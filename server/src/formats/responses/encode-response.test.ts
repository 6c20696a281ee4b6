import { describe, expect, it } from "vitest"
import {
  chunksOf,
  convertStream,
  createCompletionConverter,
  everyCut,
  formatEvents,
} from "../../../test/messages/message-stream.ts"
import {
  createResponseConverter,
  readResponseStream,
  withoutIds,
} from "../../../test/responses/response-stream.ts"
import type { Fields } from "../json-values.ts"

const tools = [
  { type: "function", name: "weather" },
  { type: "custom", name: "patch" },
  { type: "namespace", name: "agents", tools: [{ type: "function", name: "close" }] },
]
const request: Fields = { model: "m", tools, metadata: { a: "b" } }
const converter = () => createResponseConverter(request)

const toResponse = (deltas: readonly object[], finish_reason?: string): Fields =>
  readResponseStream(
    convertStream(converter, [Buffer.from(formatEvents(chunksOf(deltas, finish_reason)))]),
  )
const call = (index: number, fields: object, id?: string) => ({
  tool_calls: [{ index, id, function: fields }],
})

const message = (text: string) => ({
  ...{ type: "message", id: "msg", status: "completed", role: "assistant" },
  content: [{ type: "output_text", annotations: [], logprobs: [], text }],
})
const calling = (call_id: string, fields: object) => ({
  ...{ type: "function_call", id: "fc", status: "completed", call_id, ...fields },
})

describe("a stream of chat completions converted to a response", () => {
  const usage = {
    ...{ prompt_tokens: 9, completion_tokens: 4 },
    prompt_tokens_details: { cached_tokens: 5 },
  }
  const deltas = [
    { role: "assistant", content: "" },
    { reasoning_content: "Schön, " },
    { reasoning: "ja 🐝." },
    { reasoning_details: [{ type: "reasoning.text", signature: "c2ln" }] },
    { content: "Ich " },
    { content: "sehe 👀." },
    call(0, { name: "weather", arguments: "" }, "call_1"),
    call(0, { arguments: '{"city":"Li' }),
    call(1, { name: "patch", arguments: '{"input":"a\\n' }, "call_2"),
    call(2, { name: "agents__close", arguments: "" }, "call_3"),
    call(0, { arguments: 'ma \\"ñ\\""}' }),
    call(1, { arguments: '\\"b"}' }),
  ]
  const stream = formatEvents([
    ...chunksOf(deltas, "tool_calls"),
    { id: "c", model: "m", choices: [], usage },
  ])

  it("is the same for every place where it is cut", () => {
    const whole = convertStream(converter, [Buffer.from(stream)])
    const expected = withoutIds(readResponseStream(whole))
    expect(expected).toMatchObject({
      ...{ status: "completed", metadata: { a: "b" }, tools, model: "m" },
      output: [
        {
          ...{ type: "reasoning", encrypted_content: expect.stringMatching(/^portico\./) },
          summary: [{ type: "summary_text", text: "Schön, ja 🐝." }],
        },
        message("Ich sehe 👀."),
        calling("call_1", { name: "weather", arguments: '{"city":"Lima \\"ñ\\""}' }),
        { type: "custom_tool_call", call_id: "call_2", name: "patch", input: 'a\n"b' },
        calling("call_3", { namespace: "agents", name: "close", arguments: "{}" }),
      ],
      usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 5 }, total_tokens: 13 },
    })
    for (const chunks of everyCut(stream)) {
      const response = readResponseStream(convertStream(converter, chunks))
      expect(withoutIds(response)).toEqual(expected)
    }
  })

  it("has no items if the answer is empty", () => {
    expect(toResponse([])).toMatchObject({ status: "completed", output: [] })
    expect(toResponse([{ content: "" }], "length")).toMatchObject({
      ...{ status: "incomplete", output: [], completed_at: null },
      incomplete_details: { reason: "max_output_tokens" },
    })
  })

  it("is incomplete like its last item if it is cut off", () => {
    const deltas = [{ content: "One" }, call(0, { name: "patch", arguments: '{"input":"a' }, "1")]
    expect(toResponse(deltas, "length")).toMatchObject({
      status: "incomplete",
      output: [
        { type: "message", status: "completed" },
        { type: "custom_tool_call", status: "incomplete", input: '{"input":"a' },
      ],
    })
  })

  it("ends once, whatever follows", () => {
    const more = formatEvents(chunksOf([{ content: "More" }]))
    const complete = formatEvents(chunksOf([{ content: "Hi" }])) + more
    const response = readResponseStream(convertStream(converter, [Buffer.from(complete)]))
    expect(response.output).toMatchObject([{ content: [{ text: "Hi" }] }])
    const start = `data: ${JSON.stringify({ id: "c", model: "m", choices: [] })}\n\n`
    const error = 'data: {"error":{"message":"Broken","code":529}}\n\n'
    const failed = convertStream(converter, [Buffer.from(start + error + more)])
    expect(failed.match(/^event: [\w.]+$/gm)).toEqual([
      "event: response.created",
      "event: response.in_progress",
      "event: response.failed",
    ])
    expect(failed).toContain('"error":{"code":"server_error","message":"Broken"}')
  })

  it("keeps the items that were complete when it failed", () => {
    const [first, second] = chunksOf([{ reasoning_content: "Hm" }, { content: "Hi" }]) as [
      object,
      object,
    ]
    const error = { error: { message: "Full", code: "context_length_exceeded" } }
    const text = convertStream(converter, [Buffer.from(formatEvents([first, second, error]))])
    const last = text.trimEnd().split("\n").at(-1)?.slice("data: ".length) ?? ""
    expect(JSON.parse(last)).toMatchObject({
      type: "response.failed",
      response: {
        ...{ status: "failed", output: [{ type: "reasoning" }] },
        error: { code: "context_length_exceeded", message: "Full" },
      },
    })
  })
})

describe("a stream of Anthropic's converted to a response", () => {
  const events: object[] = [
    {
      type: "message_start",
      message: { id: "m", model: "claude", usage: { input_tokens: 3, output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hö🐝" } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2" } },
    { type: "content_block_stop", index: 0 },
    {
      ...{ type: "content_block_start", index: 1 },
      content_block: { type: "redacted_thinking", data: "eA==" },
    },
    { type: "content_block_stop", index: 1 },
    { type: "content_block_start", index: 2, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "Ja " } },
    { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "👀" } },
    { type: "content_block_stop", index: 2 },
    {
      ...{ type: "content_block_start", index: 3 },
      content_block: { type: "tool_use", id: "toolu_1", name: "weather", input: {} },
    },
    {
      ...{ type: "content_block_delta", index: 3 },
      delta: { type: "input_json_delta", partial_json: '{"a":' },
    },
    {
      ...{ type: "content_block_delta", index: 3 },
      delta: { type: "input_json_delta", partial_json: "1}" },
    },
    { type: "content_block_stop", index: 3 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 7 } },
    { type: "message_stop" },
  ]
  const stream = events
    .map((event) => `event: ${Object(event).type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("")
  const convert = (chunks: readonly Buffer[]): unknown => {
    const completion = convertStream(createCompletionConverter, chunks)
    return withoutIds(readResponseStream(convertStream(converter, [Buffer.from(completion)])))
  }

  it("is the same for every place where it is cut", () => {
    const expected = convert([Buffer.from(stream)])
    expect(expected).toMatchObject({
      status: "completed",
      output: [
        { type: "reasoning", summary: [{ text: "Hö🐝" }] },
        { type: "reasoning", summary: [], encrypted_content: expect.any(String) },
        message("Ja 👀"),
        calling("toolu_1", { name: "weather", arguments: '{"a":1}' }),
      ],
      usage: { input_tokens: 3, output_tokens: 7, total_tokens: 10 },
    })
    for (const chunks of everyCut(stream)) expect(convert(chunks)).toEqual(expected)
  })
})
