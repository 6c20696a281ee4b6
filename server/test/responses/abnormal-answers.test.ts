import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { Json } from "../fakes/json.ts"
import {
  chatModel,
  type ResponsesTestbed,
  readEvents,
  startResponsesTestbed,
} from "./responses-testbed.ts"

let testbed: ResponsesTestbed
beforeAll(async () => {
  testbed = await startResponsesTestbed()
})
afterAll(() => testbed.stop())
afterEach(() => testbed.reset())

const tools = [
  { type: "function", name: "f", parameters: { type: "object" } },
  { type: "custom", name: "patch" },
]
const streamHeaders = { "content-type": "text/event-stream" }
/** The response, or the error. */
const ask = async (stream: boolean) => {
  const { status, text } = await testbed.send({ model: chatModel, input: "Hi", tools, stream })
  if (!stream || status !== 200) return { http: status, ...JSON.parse(text) }
  return { http: status, ...Object(readEvents(text).at(-1)?.response) }
}

const callOf = (name: string, args: Json) => ({
  ...{ id: "call_1", type: "function", function: { name, arguments: args } },
})

describe.each([
  ["whole", false],
  ["streamed", true],
])("a %s answer of a chat model", (_form, streamed) => {
  it("that is a refusal has a part of this type", async () => {
    testbed.answer(streamed, { message: { content: null, refusal: "No." } })
    expect(await ask(streamed)).toMatchObject({
      status: "completed",
      output: [{ type: "message", content: [{ type: "refusal", refusal: "No." }] }],
    })
  })

  it.each([
    ["guardrail_intervened", { reason: "content_filter" }],
    ["RECITATION", { reason: "content_filter" }],
    ["model_length", { reason: "max_output_tokens" }],
    ["eos", null],
  ])("that ends with %s is incomplete because of %j", async (reason, incomplete_details) => {
    testbed.answer(streamed, { message: { content: "par" }, reason })
    expect(await ask(streamed)).toMatchObject({ incomplete_details })
  })

  it("that breaks off fails", async () => {
    testbed.answer(streamed, { message: { content: "par" }, reason: "error" })
    const { http, status, error } = await ask(streamed)
    expect([http, status]).toEqual(streamed ? [200, "failed"] : [502, undefined])
    expect(error.message).toContain('finish reason "error"')
  })

  it("has parallel calls whose arguments are glued together", async () => {
    testbed.answer(streamed, { message: {}, calls: [callOf("f", '{"path":"a"}{"path":"b"}}')] })
    const { status, output } = await ask(streamed)
    expect(status).toBe("completed")
    expect(output).toMatchObject([
      { type: "function_call", name: "f", arguments: '{"path":"a"}' },
      { type: "function_call", name: "f", arguments: '{"path":"b"}' },
    ])
  })

  it("fails if the arguments of a function are not JSON", async () => {
    testbed.answer(streamed, { message: {}, calls: [callOf("f", '{"path":a}')] })
    const { error } = await ask(streamed)
    expect(error.message).toContain('its call of "f" has arguments that are not JSON')
  })

  it("has any text as the input of a custom tool", async () => {
    testbed.answer(streamed, { message: {}, calls: [callOf("patch", "*** Begin {x} Patch")] })
    const { output } = await ask(streamed)
    expect(output).toMatchObject([{ type: "custom_tool_call", input: "*** Begin {x} Patch" }])
  })

  it.each([
    [["apply", "P"], '["apply","P"]'],
    [{ input: "P" }, "P"],
    [JSON.stringify('{"input":"P"}'), "P"],
    [JSON.stringify('{"other":"P"}'), '{"other":"P"}'],
  ])("has the input of a custom tool from arguments in another form: %j", async (args, input) => {
    testbed.answer(streamed, { message: {}, calls: [callOf("patch", args)] })
    expect((await ask(streamed)).output).toMatchObject([{ type: "custom_tool_call", input }])
  })

  it.each([
    [429, { error: { message: "Slow down", code: 429 } }, "Slow down"],
    [400, { choices: null, error: { message: "Too long", code: 400 } }, "Too long"],
    [502, { error: "model is loading" }, "model is loading"],
  ])("that is an error has status %i", async (status, body, message) => {
    const data = JSON.stringify(body)
    if (streamed) testbed.replyWith(`data: ${data}\n\ndata: [DONE]\n\n`, streamHeaders)
    else testbed.replyWith(data)
    expect(await ask(streamed)).toMatchObject({ http: status, error: { message } })
  })

  it("has the annotations of its text", async () => {
    const url_citation = { url: "https://example.com", title: "Ex", start_index: 0, end_index: 2 }
    const annotations = [{ type: "url_citation", url_citation }]
    testbed.answer(streamed, { message: { content: "ok", annotations } })
    const { output } = await ask(streamed)
    const expected = [{ type: "url_citation", ...url_citation }]
    expect(output).toMatchObject([{ content: [{ text: "ok", annotations: expected }] }])
  })
})

it("announces each annotation in a stream", async () => {
  const url_citation = { url: "https://example.com", title: "Ex", start_index: 0, end_index: 2 }
  testbed.streamDeltas([
    { content: "ok" },
    { annotations: [{ type: "url_citation", url_citation }] },
  ])
  const { text } = await testbed.send({ model: chatModel, input: "Hi", stream: true })
  const event = readEvents(text).find(({ type }) => `${type}`.endsWith("annotation.added"))
  expect(event).toMatchObject({ annotation_index: 0, annotation: { type: "url_citation" } })
})

it("keeps the mark of a refusal in the history", async () => {
  const content = [{ type: "refusal", refusal: "No." }]
  const input = [
    { role: "user", content: "Please" },
    { type: "message", role: "assistant", content },
    { role: "user", content: "Why?" },
  ]
  await testbed.send({ model: chatModel, input })
  expect(Object(testbed.lastChatBody().messages)[1]).toEqual({
    ...{ role: "assistant", content: "No.", refusal: "No." },
  })
})
