import type OpenAI from "openai"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type Fields, objectsIn } from "../../src/formats/json-values.ts"
import type { FakeAnthropic } from "../fakes/anthropic.ts"
import { adminKey, type TestGateway } from "../harness/gateway.ts"
import { waitForUsageRecords } from "../harness/usage-records.ts"
import { messages, model, startAnthropicTestbed } from "./anthropic-testbed.ts"

let upstream: FakeAnthropic
let gateway: TestGateway
let client: OpenAI

beforeAll(async () => {
  ;({ upstream, gateway, client } = await startAnthropicTestbed())
})
afterEach(() => upstream.reset())
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const formatEvent = (event: Fields): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

const message = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: "claude", content: [] },
  ...{ stop_reason: null, stop_sequence: null },
}

/** The events of a message with these blocks. */
const eventsOf = (content: Fields[], delta: Fields, usage: Fields): Fields[] => [
  { type: "message_start", message: { ...message, usage: { ...usage, output_tokens: 1 } } },
  ...content.flatMap(({ citations, ...block }, index) => [
    { type: "content_block_start", index, content_block: { ...block, text: "" } },
    { type: "content_block_delta", index, delta: { type: "text_delta", text: block.text } },
    ...objectsIn(citations).map((citation) => ({
      ...{ type: "content_block_delta", index, delta: { type: "citations_delta", citation } },
    })),
    { type: "content_block_stop", index },
  ]),
  { type: "message_delta", delta: { stop_sequence: null, ...delta }, usage },
  { type: "message_stop" },
]

const reply = (body: string, type = "text/event-stream"): void =>
  upstream.injectFault(
    { kind: "reply", body, headers: { "content-type": type } },
    { on: /messages/ },
  )

const defaultUsage = { input_tokens: 10, output_tokens: 5 }

/** The next answer, whole or streamed. */
const answer = (
  streamed: boolean,
  content: Fields[],
  delta: Fields,
  usage: Fields = defaultUsage,
): void => {
  if (streamed) reply(eventsOf(content, delta, usage).map(formatEvent).join(""))
  else reply(JSON.stringify({ ...message, ...delta, content, usage }), "application/json")
}

const send = async (path: string, body: Fields, signal?: AbortSignal): Promise<Response> =>
  fetch(`${gateway.url}/v1/${path}`, {
    method: "POST",
    headers: { "x-api-key": adminKey, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })

const askChat = async (streamed: boolean): Promise<OpenAI.ChatCompletion> =>
  streamed
    ? client.chat.completions
        .stream({ model, messages, stream_options: { include_usage: true } })
        .finalChatCompletion()
    : client.chat.completions.create({ model, messages })

const askResponse = async (streamed: boolean): Promise<OpenAI.Responses.Response> =>
  streamed
    ? client.responses.stream({ model, input: "Hi" }).finalResponse()
    : client.responses.create({ model, input: "Hi" })

const found = {
  ...{ type: "web_search_result_location", url: "https://example.com", title: "Ex" },
  ...{ encrypted_index: "E", cited_text: "abc" },
}
const cited = [
  { type: "text", text: "See: " },
  { type: "text", text: "abc", citations: [found] },
]
const range = { start_index: 5, end_index: 8 }
const url_citation = { url: "https://example.com", title: "Ex", ...range }

describe.each([
  ["whole", false],
  ["streamed", true],
])("a %s answer of Anthropic", (_form, streamed) => {
  it("has its citations as annotations of a chat completion", async () => {
    answer(streamed, cited, { stop_reason: "end_turn" })
    const { choices } = await askChat(streamed)
    expect(choices[0]?.message).toMatchObject({
      ...{ content: "See: abc", annotations: [{ type: "url_citation", url_citation }] },
    })
  })

  it("has its citations as annotations of a response", async () => {
    answer(streamed, cited, { stop_reason: "end_turn" })
    const { output } = await askResponse(streamed)
    expect(output).toMatchObject([
      { content: [{ annotations: [{ type: "url_citation", ...url_citation }] }] },
    ])
  })

  it("that is a refusal explains itself", async () => {
    const stop_details = { type: "refusal", category: null, explanation: "Not allowed." }
    answer(streamed, [], { stop_reason: "refusal", stop_details })
    const { choices } = await askChat(streamed)
    expect(choices[0]).toMatchObject({
      ...{ finish_reason: "content_filter", message: { refusal: "Not allowed." } },
    })
    expect(choices[0]?.message.content || null).toBeNull()
    answer(streamed, [], { stop_reason: "refusal", stop_details })
    expect((await askResponse(streamed)).output).toMatchObject([
      { content: [{ type: "refusal", refusal: "Not allowed." }] },
    ])
  })

  it.each([
    ["pause_turn", "length"],
    ["model_context_window_exceeded", "length"],
    ["end_turn", "stop"],
  ])("that stops with %s finishes with %s", async (stop_reason, finish_reason) => {
    answer(streamed, [{ type: "text", text: "Hi" }], { stop_reason })
    expect((await askChat(streamed)).choices[0]).toMatchObject({ finish_reason })
  })

  it("has the tokens of its thinking", async () => {
    const output_tokens_details = { thinking_tokens: 1500 }
    const usage = { input_tokens: 10, output_tokens: 1600, output_tokens_details }
    const ask = () =>
      answer(streamed, [{ type: "text", text: "Hi" }], { stop_reason: "end_turn" }, usage)
    ask()
    expect((await askChat(streamed)).usage).toMatchObject({
      completion_tokens_details: { reasoning_tokens: 1500 },
    })
    ask()
    expect((await askResponse(streamed)).usage).toMatchObject({
      ...{ output_tokens: 1600, output_tokens_details: { reasoning_tokens: 1500 } },
    })
  })

  it("that is an error with status 200 has its own status", async () => {
    const error = { type: "error", error: { type: "rate_limit_error", message: "Slow down" } }
    const respond = () =>
      streamed ? reply(formatEvent(error)) : reply(JSON.stringify(error), "application/json")
    for (const path of ["chat/completions", "responses"]) {
      respond()
      const body = path === "responses" ? { input: "Hi" } : { messages }
      const response = await send(path, { model, stream: streamed, ...body })
      expect(response.status).toBe(429)
      expect(Object(await response.json()).error).toMatchObject({ message: "Slow down" })
    }
  })
})

it("names citations of documents, which have no address", async () => {
  const citation = { type: "char_location", document_title: "Doc", cited_text: "abc" }
  answer(false, [{ type: "text", text: "abc", citations: [citation] }], { stop_reason: "end_turn" })
  const { headers } = await send("chat/completions", { model, messages })
  expect(headers.get("x-portico-dropped")).toBe("citations")
})

it("counts tokens that a stream reports after the reason of its end", async () => {
  const events = eventsOf([{ type: "text", text: "abc" }], { stop_reason: "end_turn" }, {})
  const [end, stop] = events.slice(-2)
  const late = { type: "message_delta", delta: {}, usage: { input_tokens: 10, output_tokens: 5 } }
  const { usage: _none, ...withoutUsage } = end ?? {}
  reply([...events.slice(0, -2), withoutUsage, late, stop ?? {}].map(formatEvent).join(""))
  const { choices, usage } = await askChat(true)
  expect(choices[0]?.finish_reason).toBe("stop")
  expect(usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5 })
})

describe("an error in a stream of Anthropic", () => {
  const started = eventsOf([{ type: "text", text: "par" }], {}, defaultUsage).slice(0, 3)
  const call = { type: "tool_use", id: "toolu_1", name: "f", input: {} }
  const json = { type: "input_json_delta", partial_json: '{"a"' }
  const inCall = [
    ...started,
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: call },
    { type: "content_block_delta", index: 1, delta: json },
  ]
  const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }

  it.each([
    ["a text", started],
    ["a call", inCall],
  ])("is the last event of a chat completion within %s", async (_where, events) => {
    reply([...events, error].map(formatEvent).join(""))
    const response = await send("chat/completions", { model, messages, stream: true })
    const text = await response.text()
    expect(text.trimEnd().split("\n\n").at(-1)).toContain('"message":"Overloaded"')
    expect(text.match(/"error"/g)).toHaveLength(1)
    expect(text).not.toContain("[DONE]")
  })
})

describe("the usage of a stream of Anthropic that breaks off", () => {
  const usage = { input_tokens: 35, cache_read_input_tokens: 10_000, output_tokens: 1 }
  const deltas = Array.from({ length: 200 }, (_, at) => ({
    ...{ type: "content_block_delta", index: 0 },
    delta: { type: "text_delta", text: `word${at} and more ` },
  }))
  const events = [
    { type: "message_start", message: { ...message, usage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...deltas,
  ]

  it.each([
    ["messages", { max_tokens: 100, messages }],
    ["chat/completions", { messages }],
    ["responses", { input: "Hi" }],
  ])("has the reported input and an estimate: %s", async (path, body) => {
    reply(events.map(formatEvent).join(""))
    const response = await send(path, { model, stream: true, ...body })
    await response.text()
    const id = response.headers.get("x-request-id") ?? ""
    const [record] = await waitForUsageRecords(gateway, id)
    expect(record).toMatchObject({ tokens_in: 10_035, estimated: 1 })
    expect(record?.tokens_out).toBeGreaterThan(150)
  })

  it.each([
    ["messages", { max_tokens: 100, messages }],
    ["chat/completions", { messages }],
    ["responses", { input: "Hi" }],
  ])("has them if the client leaves: %s", async (path, body) => {
    const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    const steps = [head + events.map(formatEvent).join("")]
    upstream.injectFault({ kind: "raw", steps }, { on: /messages/ })
    const controller = new AbortController()
    const sent = { model, stream: true, ...body }
    const response = await send(path, sent, controller.signal)
    let text = ""
    for await (const piece of response.body ?? []) {
      text += Buffer.from(piece).toString()
      if (text.includes("word199")) break
    }
    controller.abort()
    const [record] = await waitForUsageRecords(gateway, response.headers.get("x-request-id") ?? "")
    expect(record).toMatchObject({ tokens_in: 10_035, outcome: "client_cancelled" })
    expect(record?.tokens_out).toBeGreaterThan(150)
  })
})
