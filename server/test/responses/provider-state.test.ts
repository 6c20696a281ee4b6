import type { Response, ResponseInputItem } from "openai/resources/responses/responses"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { objectsIn } from "../../src/formats/json-values.ts"
import type { JsonObject } from "../fakes/json.ts"
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
afterAll(() => testbed.stop())
afterEach(() => testbed.reset())

const tools = [
  { type: "function" as const, name: "weather", parameters: { type: "object" }, strict: null },
]
const extra_content = { google: { thought_signature: "SIG" } }
const called = { name: "weather", arguments: "{}" }
const calls = [
  { id: "call_1", type: "function", function: called, extra_content },
  { id: "call_2", type: "function", function: called },
]

const answer = (streamed: boolean, ofMessage: JsonObject): void =>
  testbed.answer(streamed, { message: { content: null, ...ofMessage }, calls })

const ask = async (streamed: boolean, store: boolean): Promise<Response> => {
  const params = { model: chatModel, input: "Weather?", tools, store }
  return streamed
    ? testbed.client.responses.stream(params).finalResponse()
    : testbed.client.responses.create(params)
}

const results = (response: Response): ResponseInputItem[] =>
  response.output.flatMap((item) =>
    item.type === "function_call"
      ? [{ type: "function_call_output" as const, call_id: item.call_id, output: "Rain" }]
      : [],
  )

const assistantIn = ({ messages }: JsonObject) =>
  objectsIn(messages).findLast(({ role }) => role === "assistant")

describe.each([
  ["whole", false],
  ["streamed", true],
])("a %s answer of a chat model", (_form, streamed) => {
  const ofMessage = { extra_content: { google: { thought_signature: "OF MESSAGE" } } }

  it("returns what its provider added with previous_response_id", async () => {
    answer(streamed, ofMessage)
    const response = await ask(streamed, true)
    const { id: previous_response_id } = response
    const input = results(response)
    await testbed.client.responses.create({ model: chatModel, previous_response_id, input, tools })
    expect(assistantIn(testbed.lastChatBody())).toMatchObject({ ...ofMessage, tool_calls: calls })
  })

  it("returns it with the items that the client sends back", async () => {
    answer(streamed, ofMessage)
    const response = await ask(streamed, false)
    const input = [...(response.output as ResponseInputItem[]), ...results(response)]
    await testbed.client.responses.create({ model: chatModel, input, tools, store: false })
    expect(assistantIn(testbed.lastChatBody())).toMatchObject({ ...ofMessage, tool_calls: calls })
  })

  it.each([reasoningModel, nativeModel])("keeps it from %s", async (model) => {
    answer(streamed, ofMessage)
    const response = await ask(streamed, false)
    const input = [...(response.output as ResponseInputItem[]), ...results(response)]
    await testbed.client.responses.create({ model, input, tools, store: false })
    const body = model === nativeModel ? testbed.lastNativeBody() : testbed.lastChatBody()
    expect(JSON.stringify(body)).not.toMatch(/SIG|portico\./)
  })
})
