import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
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

/** Makes a body one that is converted in the thread for large bodies. */
const long = "long ä🐝 ".repeat(10_000)
const weather = { type: "function", name: "weather", parameters: { type: "object" } }
const items = (text: string) => [
  { role: "system", content: "Be brief." },
  { role: "user", content: [{ type: "input_text", text }] },
  { type: "function_call", call_id: "1", name: "weather", arguments: "{}" },
  { type: "function_call_output", call_id: "1", output: "Sun" },
]
const requestOf = (model: string, text: string) => ({
  ...{ model, instructions: `Instructions ${text}`, input: items(text), tools: [weather] },
  ...{ reasoning: { summary: "detailed" }, metadata: { k: "v" } },
})

/** The values of a large request in place of those of a small one. */
const withLong = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll("short", long))

describe.each([chatModel, claudeModel, nativeModel])("a large request to %s", (model) => {
  const bodyOf = {
    [chatModel]: () => testbed.lastChatBody(),
    [claudeModel]: () => testbed.lastClaudeBody(),
    [nativeModel]: () => testbed.lastNativeBody(),
  }[model] as () => object

  it("is converted like a small one", async () => {
    const small = await testbed.send(requestOf(model, "short"))
    const expected = withLong(bodyOf())
    const large = await testbed.send(requestOf(model, long))
    expect([small.status, large.status]).toEqual([200, 200])
    expect(bodyOf()).toEqual(expected)
    expect(large.headers.get("x-portico-dropped")).toBe(small.headers.get("x-portico-dropped"))
  })

  it.each([false, true])("has a response that is stored; stream: %s", async (stream) => {
    const { text } = await testbed.send({ ...requestOf(model, long), stream })
    const response = stream
      ? JSON.parse(/^data: (.*"type": ?"response.completed".*)/m.exec(text)?.[1] ?? "").response
      : JSON.parse(text)
    const { id } = response
    expect(response).toMatchObject({ store: true, previous_response_id: null })
    const { output_text: _text, ...stored } = await testbed.client.responses.retrieve(id)
    expect(stored).toEqual(response)
    const { data } = await testbed.client.responses.inputItems.list(id, { order: "asc" })
    expect(data).toMatchObject(items(long))
    const next = await testbed.send({ model, input: "Go on", previous_response_id: id })
    expect(next.status).toBe(200)
    expect(JSON.stringify(bodyOf())).toContain(JSON.stringify(long).slice(1, -1))
  })
})

describe("a large request", () => {
  it.each([chatModel, claudeModel])("is refused like a small one by %s", async (model) => {
    const requestWith = (text: string) => ({
      ...requestOf(model, text),
      input: [...items(text), { type: "computer_call", call_id: "1" }],
    })
    const small = await testbed.send(requestWith("short"))
    const large = await testbed.send(requestWith(long))
    expect(small.status).toBe(400)
    expect([large.status, large.text]).toEqual([small.status, small.text])
  })

  it("may repeat instructions of megabytes, but not tools", async () => {
    const request = { model: chatModel, input: "Hello", store: false }
    const instructions = "x".repeat(2_000_000)
    const { status, text } = await testbed.send({ ...request, instructions })
    expect([status, JSON.parse(text).instructions === instructions]).toEqual([200, true])
    const tools = [{ ...weather, description: instructions }]
    const refused = await testbed.send({ ...request, tools })
    expect(refused.status).toBe(413)
    expect(JSON.parse(refused.text).error).toMatchObject({ param: "tools" })
  })
})
