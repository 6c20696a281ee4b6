import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { startFakeOpenAI } from "../fakes/openai.ts"
import { claudeModel } from "../messages/messages-testbed.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { readResponseStream } from "./response-stream.ts"
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

const rules = { type: "message", role: "developer", content: "Be brief." }
const question = { type: "message", role: "user", content: "How is Lima?" }
const trigger = { type: "compaction_trigger", id: "ct_1" }
const weather = { type: "function", name: "weather", parameters: { type: "object" } }
const call = { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" }
const result = { type: "function_call_output", call_id: "call_1", output: "Sunny." }
const conversation = [rules, question, call, result]
const compaction = { type: "compaction", encrypted_content: expect.stringMatching(/^portico\./) }
const compact = (body: object) => testbed.gateway.call("POST", "/v1/responses/compact", body)
const foreign = { type: "compaction", encrypted_content: "gAAAA" }

describe.each([chatModel, claudeModel])("a conversation is compacted by %s", (model) => {
  const body = { model, input: conversation, tools: [weather] }
  const sentMessages = (): string => {
    const sent = model === chatModel ? testbed.lastChatBody() : testbed.lastClaudeBody()
    return JSON.stringify(sent.messages)
  }

  it.each([false, true])("if the input asks for it (stream: %s)", async (stream) => {
    const input = [...conversation, trigger]
    const { status, text } = await testbed.send({ ...body, input, store: false, stream })
    expect(status).toBe(200)
    const response = stream ? readResponseStream(text) : JSON.parse(text)
    expect(response).toMatchObject({ object: "response", status: "completed" })
    expect(response.output).toEqual([{ ...compaction, id: expect.stringMatching(/^cmp_/) }])
    expect(sentMessages()).toMatch(/Sunny.*Summarize this conversation/)
  })

  it("also if it is large, and its tools are declared by an item", async () => {
    const long = { ...question, content: `${"long ".repeat(20_000)}How is Lima?` }
    const declared = { type: "additional_tools", role: "developer", tools: [weather] }
    const input = [rules, declared, long, call, result]
    const large = { model, input: [...input, trigger], store: false }
    const whole = JSON.parse((await testbed.send(large)).text)
    const streamed = readResponseStream((await testbed.send({ ...large, stream: true })).text)
    const { status, body: compacted } = await compact({ model, input })
    expect(status).toBe(200)
    expect(sentMessages()).toMatch(/long How is Lima.*Sunny.*Summarize this conversation/)
    for (const { output } of [whole, streamed, compacted])
      expect(output).toMatchObject([compaction])
    const continued = [...compacted.output, long]
    expect((await testbed.send({ model, input: continued, store: false })).status).toBe(200)
    expect(sentMessages()).toContain("Summary of the conversation so far:")
  })

  it("at the route for it", async () => {
    const { status, body: compacted } = await compact(body)
    expect(status).toBe(200)
    expect(compacted).toMatchObject({ object: "response.compaction", output: [compaction] })
    expect(compacted.usage.output_tokens).toBeGreaterThan(0)
    const next = { model, input: [rules, ...compacted.output, question], store: false }
    expect((await testbed.send(next)).status).toBe(200)
    expect(sentMessages()).toContain("Summary of the conversation so far:")
  })

  it("and continued from the summary by a stored response", async () => {
    const input = [...conversation, trigger]
    const first = JSON.parse((await testbed.send({ ...body, input })).text)
    const next = { model, input: [{ ...question, content: "And now?" }] }
    const { status } = await testbed.send({ ...next, previous_response_id: first.id })
    expect(status).toBe(200)
    expect(sentMessages()).toMatch(/Summary of the conversation so far:.*And now\?/)
    expect(sentMessages()).not.toMatch(/How is Lima\?"|Sunny/)
  })

  it("but not if only another provider can read its beginning", async () => {
    const { status, text } = await testbed.send({ model, input: [foreign, question] })
    expect(status).toBe(400)
    expect(JSON.parse(text)).toMatchObject({ error: { code: "unsupported_by_model" } })
  })
})

describe("a model that writes no summary", () => {
  const body = { model: chatModel, input: [...conversation, trigger], store: false }

  it("fails the request, whole and in a stream", async () => {
    testbed.answerWith({ content: "" })
    expect((await testbed.send(body)).status).toBe(502)
    testbed.answerWith({ content: "" })
    expect((await compact({ model: chatModel, input: conversation })).status).toBe(502)
    testbed.streamDeltas([{ content: "" }])
    const { text } = await testbed.send({ ...body, stream: true })
    expect(text).toContain("event: response.failed")
    expect(text).not.toContain("response.completed")
  })
})

describe("a provider with the Responses API", () => {
  it("gets the request for a compaction itself", async () => {
    const input = [question, trigger]
    const { status } = await testbed.send({ model: nativeModel, input, store: false })
    expect(status).toBe(200)
    expect(testbed.lastNativeBody().input).toEqual(input)
  })

  it("gets the gateway's compactions as messages, and others unchanged", async () => {
    const { body: compacted } = await compact({ model: chatModel, input: conversation })
    const input = [foreign, ...compacted.output, question]
    expect((await testbed.send({ model: nativeModel, input, store: false })).status).toBe(200)
    const summary = expect.stringContaining("Summary of the conversation so far:")
    expect(testbed.lastNativeBody().input).toEqual([
      foreign,
      { type: "message", role: "user", content: [{ type: "input_text", text: summary }] },
      question,
    ])
  })
})

describe("a provider with the route for compaction", () => {
  it("answers it, also if another connection of the model lacks it", async () => {
    const output = [foreign]
    const body = JSON.stringify({ id: "resp_1", object: "response.compaction", output })
    const provider = await startFakeOpenAI({ models: [chatModel, "compacting"] })
    const reply = { kind: "reply" as const, body }
    provider.injectFault(reply, { on: /responses\/compact/, times: Infinity })
    const { body: connection } = await testbed.gateway.call("POST", "/api/v1/connections/create", {
      ...{ kind: "openai", name: "Compacting", base_url: provider.url },
    })
    try {
      await waitForModels(testbed.gateway, ["compacting"])
      for (const model of ["compacting", chatModel, chatModel, chatModel]) {
        const { status, body: compacted } = await compact({ model, input: conversation })
        expect([status, compacted.output]).toEqual([200, output])
      }
      const sent = provider.requests.findLast(({ path }) => path.endsWith("/compact"))
      expect(sent?.json).toEqual({ model: chatModel, input: conversation })
    } finally {
      await testbed.gateway.call("DELETE", `/api/v1/connections/${connection.id}`)
      await provider.close()
    }
  })
})

describe("the route for compaction", () => {
  it("resolves what the request refers to, and stores nothing", async () => {
    const first = JSON.parse((await testbed.send({ model: chatModel, input: "Lima?" })).text)
    const { status } = await compact({ model: chatModel, previous_response_id: first.id })
    expect(status).toBe(200)
    expect(JSON.stringify(testbed.lastChatBody().messages)).toContain("Lima?")
  })

  it.each<[object, number]>([
    [{}, 400],
    [{ model: "unknown", input: "x" }, 404],
    [{ model: chatModel, input: "x", stream: true }, 400],
    [{ model: chatModel, input: 7 }, 400],
  ])("refuses %j", async (body, status) => {
    expect((await compact(body)).status).toBe(status)
  })
})
