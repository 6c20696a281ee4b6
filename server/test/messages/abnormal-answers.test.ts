import { afterEach, describe, expect, it } from "vitest"
import type { Fields } from "../../src/formats/json-values.ts"
import { chatModel, requestTo, testbed, useMessagesTestbed } from "./messages-testbed.ts"
import { reportedErrors } from "./reported-errors.ts"

useMessagesTestbed()
afterEach(() => testbed.reset())

const streamHeaders = { "content-type": "text/event-stream" }
const send = (streamed: boolean) => testbed.send({ ...requestTo(chatModel), stream: streamed })

const eventsIn = (text: string): Fields[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data))

const contentIn = (events: readonly Fields[]): Fields[] =>
  events
    .filter(({ type }) => type === "content_block_start")
    .map(({ content_block, index }) => {
      const deltas = events.filter((event) => event.delta && event.index === index)
      const join = (member: string) => deltas.map(({ delta }) => Object(delta)[member]).join("")
      const { type, ...block } = Object(content_block)
      if (type === "thinking") return { type, thinking: join("thinking") }
      if (type !== "tool_use") return { type, text: join("text") }
      return { type, ...block, input: JSON.parse(join("partial_json") || "{}") }
    })

/** The answer, or its error. */
const ask = async (streamed: boolean) => {
  const { status, text } = await send(streamed)
  if (!streamed || status !== 200) return { status, ...JSON.parse(text) }
  const events = eventsIn(text)
  const error = events.find(({ type }) => type === "error")
  if (error) return { status, ...error }
  const last = events.find(({ type }) => type === "message_delta")
  return { status, ...Object(last?.delta), content: contentIn(events) }
}

describe.each([
  ["whole", false],
  ["streamed", true],
])("a %s answer of a chat model", (_form, streamed) => {
  it("that is a refusal stops as one", async () => {
    testbed.answer(streamed, { message: { content: null, refusal: "No." } })
    expect(await ask(streamed)).toMatchObject({
      ...{ stop_reason: "refusal", content: [{ type: "text", text: "No." }] },
      stop_details: { type: "refusal", explanation: "No." },
    })
  })

  it("has the text, the reasoning and the refusal of a content that consists of parts", async () => {
    const thinking = { type: "thinking", thinking: [{ type: "text", text: "Hm." }] }
    const texts = ["Well", "."].map((text) => ({ type: "text", text }))
    const content = [thinking, ...texts, { type: "refusal", refusal: "No." }]
    testbed.answer(streamed, { message: { content } })
    expect(await ask(streamed)).toMatchObject({
      stop_reason: "refusal",
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Well." },
        { type: "text", text: "No." },
      ],
    })
  })

  it("has calls with ids of their own if the provider repeats one", async () => {
    const call = { id: "f", type: "function", function: { name: "f", arguments: "{}" } }
    testbed.answer(streamed, { message: {}, calls: [call, call] })
    const { content } = await ask(streamed)
    expect(content).toMatchObject([{ id: "f" }, { id: expect.stringMatching(/^call_/) }])
  })

  it.each([
    ["guardrail_intervened", "refusal"],
    ["SAFETY", "refusal"],
    ["content-filter", "refusal"],
    ["model_length", "max_tokens"],
    ["MAX_TOKENS", "max_tokens"],
    ["content_violation", "refusal"],
    ["incomplete", "max_tokens"],
    ["eos_token", "end_turn"],
    ["something_new", "end_turn"],
  ])("that ends with %s stops with %s", async (reason, stop_reason) => {
    testbed.answer(streamed, { message: { content: "par" }, reason })
    expect(await ask(streamed)).toMatchObject({ stop_reason })
  })

  it.each([
    ...["error", "malformed_function_call", "insufficient_system_resource", "abort"],
    ...["engine_overloaded", "rate_limit"],
  ])("that breaks off with %s is an error", async (reason) => {
    testbed.answer(streamed, { message: { content: "par" }, reason })
    const { type, error } = await ask(streamed)
    expect(type).toBe("error")
    expect(error).toMatchObject({ type: "api_error", message: expect.stringContaining(reason) })
  })

  it.each([
    ["glued together", '{"path":"a"}{"path":"b"}', [{ path: "a" }, { path: "b" }]],
    ["apart from each other", '{"path":"a"}\n {"path":"}{"}', [{ path: "a" }, { path: "}{" }]],
    ["with a brace too many", '{"path":"a"}}', [{ path: "a" }]],
    ["with brackets too many", '{"path":["a"]}]}\n', [{ path: ["a"] }]],
    ["that are null", "null", [{}]],
    ["that are empty", " ", [{}]],
  ])("has calls with arguments %s", async (_what, args, inputs) => {
    const call = { id: "call_1", type: "function", function: { name: "f", arguments: args } }
    testbed.answer(streamed, { message: {}, calls: [call] })
    const { stop_reason, content } = await ask(streamed)
    expect(stop_reason).toBe("tool_use")
    expect(content.map(({ name, input }: Fields) => [name, input])).toEqual(
      inputs.map((input) => ["f", input]),
    )
    expect(new Set(content.map(({ id }: Fields) => id)).size).toBe(inputs.length)
  })

  it.each(['{"path":a}', '{"path":"a"', "{'path': 'a'}", '{"path":"a"} and more', "[1]", '"a"'])(
    "is an error if the arguments of a call are %s",
    async (args) => {
      const call = { id: "call_1", type: "function", function: { name: "f", arguments: args } }
      testbed.answer(streamed, { message: {}, calls: [call] })
      const { type, error } = await ask(streamed)
      expect(type).toBe("error")
      expect(error.message).toContain('its call of "f" has arguments that are not JSON')
    },
  )

  it.each(reportedErrors)(
    "that is an error %s has its status",
    async (_what, body, status, type, text) => {
      const data = JSON.stringify(body)
      if (streamed) testbed.replyWith(`data: ${data}\n\ndata: [DONE]\n\n`, streamHeaders)
      else testbed.replyWith(data)
      const found = await ask(streamed)
      expect(found).toMatchObject({ status, type: "error", error: { type } })
      expect(found.error.message).toContain(text)
    },
  )

  it.each(reportedErrors)(
    "that is a whole error %s has its status",
    async (_what, body, status, type) => {
      testbed.replyWith(JSON.stringify(body))
      expect(await ask(streamed)).toMatchObject({ status, type: "error", error: { type } })
    },
  )

  it.each(["text/html", "application/json", ""])(
    "that is a web page is an error, whatever its type: %s",
    async (type) => {
      testbed.replyWith("<html>Sign in</html>", { "content-type": type })
      expect(await ask(streamed)).toMatchObject({ status: 502, error: { type: "api_error" } })
    },
  )

  it.each([
    [{ prompt_tokens_details: { cached_tokens: 800 } }, 800, undefined],
    [{ prompt_cache_hit_tokens: 800, prompt_cache_miss_tokens: 200 }, 800, undefined],
    [{ cached_tokens: 800, prompt_tokens_details: null }, 800, undefined],
    [{ cache_read_input_tokens: 800, completion_tokens_details: null }, 800, undefined],
    [{ completion_tokens_details: { reasoning_tokens: 40 } }, 0, 40],
    [{ output_tokens_details: { reasoning_tokens: 0 } }, 0, 0],
    [{ reasoning_tokens: 40 }, 0, 40],
  ])("counts its cached and reasoning tokens: %o", async (details, cached, thinking_tokens) => {
    const usage = { prompt_tokens: 1000, completion_tokens: 60, ...details }
    const choice = {
      index: 0,
      message: { role: "assistant", content: "Hi" },
      finish_reason: "stop",
    }
    const body = {
      id: "c",
      model: chatModel,
      choices: [{ ...choice, delta: choice.message }],
      usage,
    }
    const data = JSON.stringify(body)
    if (streamed) testbed.replyWith(`data: ${data}\n\ndata: [DONE]\n\n`, streamHeaders)
    else testbed.replyWith(data)
    const { status, headers, text } = await send(streamed)
    expect(status).toBe(200)
    const received = eventsIn(text).findLast(({ usage }) => usage) ?? JSON.parse(text)
    expect(received.usage).toMatchObject({
      ...{ input_tokens: 1000 - cached, cache_read_input_tokens: cached, output_tokens: 60 },
      ...(thinking_tokens !== undefined && { output_tokens_details: { thinking_tokens } }),
    })
    expect(await testbed.usageOf({ headers })).toMatchObject({ tokens_in: 1000, tokens_out: 60 })
  })

  it("says when to retry", async () => {
    const retry = [{ "@type": "RetryInfo", retryDelay: "33.2s" }]
    const error = { code: 429, message: "Slow", status: "RESOURCE_EXHAUSTED", details: retry }
    testbed.replyWith(JSON.stringify([{ error }]))
    const { status, headers } = await send(streamed)
    expect([status, headers.get("retry-after")]).toEqual([429, "34"])
    testbed.replyWith(JSON.stringify({ error }), { "retry-after": "7" })
    expect((await send(streamed)).headers.get("retry-after")).toBe("7")
  })

  it("hides that the gateway's credential was rejected", async () => {
    testbed.replyWith(JSON.stringify({ error: { message: "Bad key sk-1", code: 401 } }))
    const { status, error } = await ask(streamed)
    expect(status).toBe(502)
    expect(error.message).not.toContain("sk-1")
  })
})

describe("a stream of a chat model", () => {
  const chunk = (delta: object): string =>
    `data: ${JSON.stringify({ id: "c", model: "m", choices: [{ index: 0, delta }] })}\n\n`

  it("without an answer is an error", async () => {
    testbed.replyWith("data: [DONE]\n\n", streamHeaders)
    expect(await ask(true)).toMatchObject({ type: "error" })
  })

  it("is an answer without a finish reason, which some servers leave out", async () => {
    testbed.replyWith(`${chunk({ content: "Hi" })}data: [DONE]\n\n`, streamHeaders)
    expect(await ask(true)).toMatchObject({ stop_reason: "end_turn" })
  })

  it.each(["", "{}"])("keeps calls without ids apart, with arguments %j", async (args) => {
    const calls = ["f", "g"].map((name) => ({
      ...{ index: 0, id: "", type: "function", function: { name, arguments: args } },
    }))
    testbed.streamDeltas(calls.map((call) => ({ tool_calls: [call] })))
    expect((await ask(true)).content).toMatchObject([
      { type: "tool_use", name: "f", input: {} },
      { type: "tool_use", name: "g", input: {} },
    ])
  })

  it("is an answer although MiniMax says in an event of its own that it succeeded", async () => {
    const events = [
      { choices: [{ index: 0, delta: { content: "Ok." }, finish_reason: "stop" }] },
      { choices: [], base_resp: { status_code: 0, status_msg: "success" } },
    ]
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
    testbed.replyWith(body, streamHeaders)
    expect(await ask(true)).toMatchObject({ stop_reason: "end_turn", content: [{ text: "Ok." }] })
  })

  it("splits glued calls wherever their arguments are cut", async () => {
    const args = '{"path":"a"}{"path":"b"}}'
    for (let at = 0; at <= args.length; at++) {
      const call = { index: 0, id: "1", function: { name: "f", arguments: args.slice(0, at) } }
      const more = { index: 0, function: { arguments: args.slice(at) } }
      testbed.streamDeltas([{ tool_calls: [call] }, { tool_calls: [more] }], "tool_calls")
      const { content } = await ask(true)
      expect(content.map(({ input }: Fields) => input)).toEqual([{ path: "a" }, { path: "b" }])
    }
  })
})

it("names what a message has no place for", async () => {
  const images = [{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }]
  testbed.answerWith({ content: "Here", images, annotations: [{ type: "file", file: {} }] })
  const { headers } = await send(false)
  expect(headers.get("x-portico-dropped")).toBe("annotations, images")
})
