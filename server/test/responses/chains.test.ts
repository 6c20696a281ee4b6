import type OpenAI from "openai"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { formatSseEvent } from "../fakes/responses.ts"
import { claudeModel } from "../messages/messages-testbed.ts"
import {
  chatModel,
  nativeModel,
  type ResponsesTestbed,
  startResponsesTestbed,
} from "./responses-testbed.ts"

let testbed: ResponsesTestbed

beforeAll(async () => {
  testbed = await startResponsesTestbed()
})
afterEach(() => testbed.reset())
afterAll(() => testbed.stop())

const weather = {
  ...{ type: "function" as const, name: "weather", strict: false },
  parameters: { type: "object", properties: { city: { type: "string" } } },
}

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming

describe.each(["whole", "streamed"])("a conversation with several models, %s", (form) => {
  const ask = (params: Params) =>
    form === "whole"
      ? testbed.client.responses.create(params)
      : testbed.client.responses.stream({ ...params, stream: true }).finalResponse()

  it("is known to each of them", async () => {
    testbed.anthropic.reply = [
      { type: "thinking", thinking: "Lima?", signature: "c2ln" },
      {
        ...{ type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Lima" } },
        caller: { type: "direct" },
      },
    ]
    const tools = [weather]
    const first = await ask({ model: claudeModel, input: "How is Lima?", tools })
    testbed.anthropic.reply = "text"
    const output = { type: "function_call_output" as const, call_id: "toolu_1", output: "Sunny." }
    const second = await ask({
      ...{ model: claudeModel, input: [output], tools, previous_response_id: first.id },
    })
    expect(testbed.lastClaudeBody().messages).toMatchObject([
      { role: "user", content: [{ text: "How is Lima?" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Lima?", signature: "c2ln" },
          { type: "tool_use", id: "toolu_1", input: { city: "Lima" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
    ])

    const third = await ask({
      ...{ model: chatModel, input: "And Quito?", previous_response_id: second.id },
    })
    expect(third.output_text).toBe("You said: And Quito?")
    const turns = [
      { role: "user", content: "How is Lima?" },
      { role: "assistant", tool_calls: [{ id: "toolu_1" }] },
      { role: "tool", tool_call_id: "toolu_1", content: "Sunny." },
      { role: "assistant", content: "Hello there." },
      { role: "user", content: "And Quito?" },
    ]
    expect(testbed.lastChatBody().messages).toMatchObject(turns)

    const fourth = await ask({
      ...{ model: nativeModel, input: "And Rio?", previous_response_id: third.id },
    })
    expect(testbed.lastNativeBody()).toMatchObject({
      store: false,
      input: [
        { type: "message", role: "user" },
        { type: "function_call", call_id: "toolu_1", arguments: '{"city":"Lima"}' },
        output,
        { type: "message", role: "assistant", content: [{ text: "Hello there." }] },
        { type: "message", role: "user", content: [{ text: "And Quito?" }] },
        { type: "message", role: "assistant", content: [{ text: "You said: And Quito?" }] },
        { type: "message", role: "user", content: [{ text: "And Rio?" }] },
      ],
    })
    await ask({ model: claudeModel, input: "Bye", previous_response_id: fourth.id })
    expect(JSON.stringify(testbed.lastClaudeBody().messages)).toMatch(
      /How is Lima.*Lima\?.*c2ln.*And Quito.*And Rio.*You said: And Rio.*Bye/,
    )
  })

  it("can have branches", async () => {
    const first = await ask({ model: chatModel, input: "One" })
    const previous_response_id = first.id
    await ask({ model: chatModel, input: "Two", previous_response_id })
    await ask({ model: chatModel, input: "Three", previous_response_id })
    expect(testbed.lastChatBody().messages).toMatchObject([
      { content: "One" },
      { content: "You said: One" },
      { content: "Three" },
    ])
  })
})

describe("a conversation in which the provider's own tools were used", () => {
  const records = [
    { type: "web_search_call", id: "ws_1", action: { type: "search", query: "Lima" } },
    { type: "file_search_call", id: "fs_1", queries: ["Lima"], results: null },
    { type: "code_interpreter_call", id: "ci_1", code: "1 + 1", outputs: null },
    { type: "image_generation_call", id: "ig_1", result: "aW1hZ2U=" },
    { type: "mcp_list_tools", id: "mcpl_1", server_label: "maps", tools: [] },
    { type: "mcp_call", id: "mcp_1", server_label: "maps", name: "find", arguments: "{}" },
  ]
  const names = records.map(({ type }) => type).join(", ")
  const texts = ["I will look.", "It is sunny."].map((text) => ({
    ...{ type: "message", role: "assistant" },
    content: [{ type: "output_text", text, annotations: [] }],
  }))
  const [before, after] = texts
  const output = [before, ...records, after]

  it.each([chatModel, claudeModel])("can be continued with %s", async (model) => {
    const body = JSON.stringify({ id: `resp_tools_${model}`, object: "response", output })
    testbed.openai.injectFault({ kind: "reply", body }, { on: /responses/ })
    const first = await testbed.client.responses.create({ model: nativeModel, input: "Lima?" })
    const continued = await testbed.send({
      ...{ model, input: "And Quito?", previous_response_id: first.id },
    })
    expect([continued.status, continued.headers.get("x-portico-dropped")]).toEqual([200, names])
    const { messages } = model === chatModel ? testbed.lastChatBody() : testbed.lastClaudeBody()
    const asContent = (text: string) => (model === chatModel ? text : [{ type: "text", text }])
    expect(messages).toEqual([
      { role: "user", content: asContent("Lima?") },
      { role: "assistant", content: asContent("I will look.\n\nIt is sunny.") },
      { role: "user", content: asContent("And Quito?") },
    ])
  })
})

describe("a request that refers to items", () => {
  it("gets them in place, as the AI SDK expects", async () => {
    testbed.anthropic.reply = "thinking"
    const first = await testbed.client.responses.create({ model: claudeModel, input: "Hi" })
    testbed.anthropic.reply = "text"
    const references = first.output.map(({ id }) => ({
      ...{ type: "item_reference" as const, id: id ?? "" },
    }))
    const input = [
      { role: "user" as const, content: [{ type: "input_text" as const, text: "Hi" }] },
      ...references,
      { role: "user" as const, content: [{ type: "input_text" as const, text: "Go on" }] },
    ]
    const second = await testbed.client.responses.create({ model: claudeModel, input })
    expect(testbed.lastClaudeBody().messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "thinking", signature: "c2ln" }, { type: "text" }] },
      { role: "user", content: [{ text: "Go on" }] },
    ])
    const stored = await testbed.client.responses.inputItems.list(second.id, { order: "asc" })
    expect(stored.data).toMatchObject([{ role: "user" }, ...first.output, { role: "user" }])
  })

  it.each([chatModel, claudeModel])("that do not exist fails with %s", async (model) => {
    const input = [{ type: "item_reference" as const, id: "msg_unknown" }]
    const request = testbed.client.responses.create({ model, input })
    await expect(request).rejects.toMatchObject({
      ...{ status: 400, param: "input", message: expect.stringContaining("msg_unknown") },
    })
  })
})

describe("a previous response", () => {
  const rejected = { status: 400, code: "previous_response_not_found" }
  const continueWith = (model: string, previous_response_id: string, client = testbed.client) =>
    client.responses.create({ model, input: "Go on", previous_response_id })

  it.each([chatModel, claudeModel, nativeModel])(
    "is not found by %s if it is gone",
    async (model) => {
      const { id } = await testbed.client.responses.create({ model, input: `Delete ${model}` })
      const { key } = await testbed.gateway.createUser(`grace-${model}`)
      const other = testbed.createClient(key)
      await expect(continueWith(model, id, other)).rejects.toMatchObject(rejected)
      await expect(other.responses.retrieve(id)).rejects.toMatchObject({ status: 404 })
      await continueWith(model, id)
      await testbed.client.responses.delete(id)
      await expect(continueWith(model, id)).rejects.toMatchObject({
        ...rejected,
        param: "previous_response_id",
      })
      await expect(continueWith(model, "resp_unknown")).rejects.toMatchObject(rejected)
    },
  )

  it.each([5, ["resp_1"], { id: "resp_1" }, false])("cannot be %j", async (id) => {
    for (const store of [true, false]) {
      const request = { model: nativeModel, input: "x", previous_response_id: id, store }
      const { status, text } = await testbed.send(request)
      expect([status, JSON.parse(text).error.param]).toEqual([400, "previous_response_id"])
    }
  })

  it.each([false, true])(
    "is the right one, although the provider repeats its ids (stream: %s)",
    async (stream) => {
      const ask = async (text: string): Promise<string> => {
        const content = [{ type: "output_text", text, annotations: [] }]
        const item = { ...{ type: "message", id: "msg_same", role: "assistant" }, content }
        const response = { id: "resp_same", object: "response", output: [item] }
        const body = stream
          ? ["response.created", "response.completed"]
              .map((type, sequence_number) => ({ type, sequence_number, response }))
              .map((event) => formatSseEvent(event, event.type))
              .join("")
          : JSON.stringify(response)
        const headers = { "content-type": stream ? "text/event-stream" : "application/json" }
        testbed.openai.injectFault({ kind: "reply", headers, body }, { on: /responses/ })
        const answer = await testbed.send({ model: nativeModel, input: `Say ${text}`, stream })
        const ids = [...answer.text.matchAll(/"id":"(resp_\w+)"/g)].map(([, id]) => id)
        expect(new Set(ids).size).toBe(1)
        return ids[0] ?? ""
      }
      const answers = [
        { text: "One", id: await ask("One") },
        { text: "Two", id: await ask("Two") },
      ]
      for (const { text, id } of answers) {
        expect(await testbed.client.responses.retrieve(id)).toMatchObject({ output_text: text })
        await continueWith(nativeModel, id)
        expect(testbed.lastNativeBody()).toMatchObject({
          input: [{ content: [{ text: `Say ${text}` }] }, { content: [{ text }] }, {}],
        })
      }
    },
  )
})
