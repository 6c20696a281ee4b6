import type { ResponseStreamEvent } from "openai/resources/responses/responses"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { collectItems } from "../fakes/collect.ts"
import { claudeModel } from "../messages/messages-testbed.ts"
import {
  chatModel,
  nativeModel,
  type ResponsesTestbed,
  reasoningModel,
  startResponsesTestbed,
} from "./responses-testbed.ts"

let testbed: ResponsesTestbed

beforeAll(async () => {
  testbed = await startResponsesTestbed()
})
afterEach(() => testbed.reset())
afterAll(() => testbed.stop())

const answers = [
  [chatModel, "You said: Hello"],
  [claudeModel, "Hello there."],
  [nativeModel, "You said: Hello"],
] as const

describe.each(answers)("OpenAI's SDK with %s", (model, text) => {
  it("gets a whole response", async () => {
    const response = await testbed.client.responses.create({ model, input: "Hello" })
    expect(response).toMatchObject({
      ...{ object: "response", status: "completed", output_text: text, error: null },
      output: [
        {
          ...{ type: "message", role: "assistant", status: "completed" },
          id: expect.stringMatching(/^msg_/),
          content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
        },
      ],
    })
    const { usage } = response
    if (!usage) throw new Error("The response has no usage")
    expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens)
    expect(usage.output_tokens).toBeGreaterThan(0)
  })

  it("streams a response", async () => {
    const stream = testbed.client.responses.stream({ model, input: "Hello" })
    const events = await collectItems(stream)
    const response = await stream.finalResponse()
    expect(response).toMatchObject({ status: "completed", output_text: text })
    expect(response.usage?.total_tokens).toBeGreaterThan(0)
    const deltas = events.flatMap((event) =>
      event.type === "response.output_text.delta" ? event.delta : [],
    )
    expect(deltas.join("")).toBe(text)
    expect(deltas.length).toBeGreaterThan(1)
    const types = events.map(({ type }) => type).filter((type) => !type.endsWith(".delta"))
    expect(types).toEqual<ResponseStreamEvent["type"][]>([
      ...["response.created" as const, "response.in_progress" as const],
      ...["response.output_item.added" as const, "response.content_part.added" as const],
      ...["response.output_text.done" as const, "response.content_part.done" as const],
      ...["response.output_item.done" as const, "response.completed" as const],
    ])
    const numbers = events.map(({ sequence_number }) => sequence_number)
    expect(numbers).toEqual(numbers.map((_number, at) => at))
  })

  it("gets the parameters of its request back", async () => {
    const params = {
      ...{ model, input: "Hello", instructions: "Be brief.", temperature: 0.5, top_p: 0.9 },
      ...{ metadata: { topic: "greeting" }, max_output_tokens: 1000, user: "ada" },
    }
    const { whole, streamed } = await testbed.askBoth(params)
    for (const response of [whole, streamed]) {
      const { user: _user, model: _model, input: _input, top_p: _top, ...echoed } = params
      expect(response).toMatchObject(echoed)
      expect(response.model).toContain(model)
    }
  })
})

describe("a converted response", () => {
  /** The members of the documentation's example. */
  const documented = [
    ..."id object created_at status completed_at error incomplete_details instructions".split(" "),
    ..."max_output_tokens model output parallel_tool_calls previous_response_id".split(" "),
    ..."reasoning store temperature text tool_choice tools top_p truncation usage".split(" "),
    ..."user metadata background".split(" "),
  ]

  it("has all documented members, null or empty if they do not apply", async () => {
    const { text } = await testbed.send({ model: chatModel, input: "Hello" })
    const response = JSON.parse(text)
    expect(Object.keys(response)).toEqual(expect.arrayContaining(documented))
    expect(response).toMatchObject({
      ...{ error: null, incomplete_details: null, instructions: null, max_output_tokens: null },
      ...{ previous_response_id: null, temperature: null, user: null, top_p: null },
      ...{ tools: [], tool_choice: "auto", parallel_tool_calls: true, metadata: {} },
      ...{ reasoning: { effort: null, summary: null }, store: true, truncation: "disabled" },
      text: { format: { type: "text" } },
      usage: {
        input_tokens_details: { cached_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
    })
    expect(response.completed_at).toBeGreaterThanOrEqual(response.created_at)
    const streamed = await testbed.send({ model: chatModel, input: "Hello", stream: true })
    const [, data = ""] = /^data: (.*)$/m.exec(streamed.text) ?? []
    expect(JSON.parse(data).response).toEqual({
      ...response,
      ...{ id: expect.any(String), status: "in_progress", completed_at: null },
      ...{ created_at: expect.any(Number), output: [], usage: null },
    })
  })

  it("counts cached and reasoning tokens", async () => {
    testbed.answerWith({ content: "Hi" }, "stop", {
      usage: {
        ...{ prompt_tokens: 100, completion_tokens: 5 },
        prompt_tokens_details: { cached_tokens: 90 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    })
    const { data, response } = await testbed.client.responses
      .create({ model: chatModel, input: "Hello" })
      .withResponse()
    expect(data.usage).toEqual({
      ...{ input_tokens: 100, input_tokens_details: { cached_tokens: 90 } },
      ...{ output_tokens: 5, output_tokens_details: { reasoning_tokens: 3 }, total_tokens: 105 },
    })
    expect(await testbed.usageOf(response)).toMatchObject({
      ...{ operation: "responses", outcome: "ok", tokens_in: 100, tokens_out: 5 },
    })
  })

  it.each([
    [chatModel, "You said:"],
    [claudeModel, "Hello there."],
  ])("of %s that is cut off is incomplete, like its last item", async (model, text) => {
    testbed.anthropic.stopReason = "max_tokens"
    const { whole, streamed } = await testbed.askBoth({
      ...{ model, input: "Hello", max_output_tokens: 2 },
    })
    for (const response of [whole, streamed]) {
      expect(response).toMatchObject({
        ...{ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
        ...{ output_text: text, output: [{ type: "message", status: "incomplete" }] },
      })
    }
  })

  it("that was filtered is incomplete", async () => {
    testbed.answerWith({ content: null, refusal: "I cannot." }, "content_filter")
    testbed.streamDeltas([{ refusal: "I " }, { refusal: "cannot." }], "content_filter")
    const { whole, streamed } = await testbed.askBoth({ model: chatModel, input: "Hello" })
    for (const response of [whole, streamed]) {
      expect(response).toMatchObject({
        ...{ status: "incomplete", incomplete_details: { reason: "content_filter" } },
        output: [{ content: [{ type: "refusal", refusal: "I cannot." }] }],
      })
    }
  })

  it("has the model's reasoning as an item of its own", async () => {
    const { whole, streamed } = await testbed.askBoth({ model: reasoningModel, input: "Hello" })
    for (const response of [whole, streamed]) {
      expect(response.output).toMatchObject([
        {
          ...{ type: "reasoning", id: expect.stringMatching(/^rs_/) },
          summary: [{ type: "summary_text", text: "Thinking about: Hello" }],
          encrypted_content: expect.any(String),
        },
        { type: "message", status: "completed" },
      ])
    }
  })

  it.each([chatModel, claudeModel])("of %s contains JSON that fits a schema", async (model) => {
    const schema = {
      ...{ type: "object", properties: { reply: { type: "string" } } },
      ...{ required: ["reply"], additionalProperties: false },
    }
    testbed.anthropic.reply = [{ type: "text", text: '{"reply":"Hi"}', citations: null }]
    const response = await testbed.client.responses.parse({
      ...{ model, input: "Hello" },
      text: { format: { type: "json_schema", name: "answer", schema, strict: true } },
    })
    const reply = model === chatModel ? "You said: Hello" : "Hi"
    expect(response.output_parsed).toEqual({ reply })
    if (model === claudeModel) {
      const format = { type: "json_schema", schema }
      expect(testbed.lastClaudeBody()).toMatchObject({ output_config: { format } })
      return
    }
    expect(testbed.lastChatBody().response_format).toEqual({
      ...{ type: "json_schema", json_schema: { name: "answer", schema, strict: true } },
    })
  })
})

it("records the provider's usage, whatever the request's members are called", async () => {
  const parameters = { type: "object", properties: { usage: { type: "object" } } }
  const tools = [{ type: "function", name: "f", parameters }]
  const metadata = { usage: { input_tokens: 0, output_tokens: 0 } }
  const body = { model: chatModel, input: "Hello", store: false, tools, metadata }
  const response = await testbed.send(body)
  const { usage } = JSON.parse(response.text)
  expect(usage.input_tokens).toBeGreaterThan(0)
  expect(await testbed.usageOf(response)).toMatchObject({
    ...{ tokens_in: usage.input_tokens, tokens_out: usage.output_tokens, estimated: 0 },
  })
})
