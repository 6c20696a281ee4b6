import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { collectItems } from "../fakes/collect.ts"
import { adminKey } from "../harness/gateway.ts"
import { chatModel, claudeModel, startMessagesTestbed } from "../messages/messages-testbed.ts"

let testbed: Awaited<ReturnType<typeof startMessagesTestbed>>
let client: OpenAI

beforeAll(async () => {
  testbed = await startMessagesTestbed()
  client = new OpenAI({ baseURL: `${testbed.gateway.url}/v1`, apiKey: adminKey, maxRetries: 0 })
})
afterAll(() => testbed.stop())

describe("OpenAI's SDK with a model of Anthropic", () => {
  it("gets a whole response", async () => {
    const response = await client.responses.create({ model: claudeModel, input: "Hello" })
    expect(response).toMatchObject({
      object: "response",
      status: "completed",
      output_text: "Hello there.",
      usage: { input_tokens: 2111, output_tokens: 7, total_tokens: 2118 },
    })
  })

  it("streams a response", async () => {
    testbed.anthropic.reply = "thinking"
    const stream = client.responses.stream({ model: claudeModel, input: "Hello" })
    const events = await collectItems(stream)
    const response = await stream.finalResponse()
    expect(response.output_text).toBe("Hello there.")
    expect(response.output.map(({ type }) => type)).toEqual(["reasoning", "message"])
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
    testbed.anthropic.reply = "text"
  })

  it("calls tools", async () => {
    testbed.anthropic.reply = "tools"
    const stream = client.responses.stream({
      model: claudeModel,
      input: "Hello",
      tools: [{ type: "function", name: "weather", parameters: { type: "object" }, strict: false }],
    })
    const response = await stream.finalResponse()
    expect(response.output).toMatchObject([
      { type: "message" },
      { type: "function_call", name: "weather", arguments: '{"city":"Lima","days":[1,2]}' },
      { type: "function_call", name: "now", arguments: "{}" },
    ])
    testbed.anthropic.reply = "text"
  })
})

describe("a provider without the Responses API", () => {
  it("answers through chat completions", async () => {
    testbed.openai.injectFault({ kind: "status", status: 404, body: { detail: "Not Found" } }, {
      on: /responses/,
      times: 1,
    } as never)
    const response = await client.responses.create({ model: chatModel, input: "Hello" })
    expect(response.output_text).toContain("Hello")
  })
})
