import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { JsonObject } from "../fakes/json.ts"
import { claudeModel } from "../messages/messages-testbed.ts"
import { readResponseStream } from "./response-stream.ts"
import { chatModel, type ResponsesTestbed, startResponsesTestbed } from "./responses-testbed.ts"

let testbed: ResponsesTestbed

beforeAll(async () => {
  testbed = await startResponsesTestbed()
})
afterEach(() => testbed.reset())
afterAll(() => testbed.stop())

const hello = { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }
const parameters = { type: "object", properties: {} }
const search = { type: "function", name: "search", parameters }
const exec = { type: "custom", name: "exec", description: "Runs code." }
const functions = { type: "namespace", name: "functions", description: "Tools.", tools: [exec] }
const declare = (...tools: object[]) => ({ type: "additional_tools", role: "developer", tools })
const callOf = (name: string, args: string): JsonObject => ({
  ...{ id: "call_1", type: "function", function: { name, arguments: args } },
})

/** The answer's items to a call with these arguments, whole and streamed. */
const answerCall = async (body: object, name: string, args: string) => {
  testbed.answerWith({ content: null, tool_calls: [callOf(name, args)] }, "tool_calls")
  const whole = JSON.parse((await testbed.send({ model: chatModel, ...body })).text)
  const half = Math.floor(args.length / 2)
  const pieces = [args.slice(0, half), args.slice(half)]
  testbed.streamDeltas([
    { tool_calls: [{ index: 0, ...callOf(name, "") }] },
    ...pieces.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ])
  const stream = await testbed.send({ model: chatModel, ...body, stream: true })
  const streamed = readResponseStream(stream.text)
  return [whole, streamed].map(({ output }) => output[0])
}

const toolNames = (body: JsonObject): unknown =>
  JSON.parse(JSON.stringify(body.tools)).map(
    (tool: { name?: string; function?: { name: string } }) => tool.name ?? tool.function?.name,
  )

describe.each([chatModel, claudeModel])("tools that items declare, with %s", (model) => {
  const sentTools = async (body: object): Promise<unknown> => {
    const { status, text } = await testbed.send({ model, store: false, ...body })
    expect([status, status === 200 ? "" : text]).toEqual([200, ""])
    return toolNames(model === chatModel ? testbed.lastChatBody() : testbed.lastClaudeBody())
  }

  it("are the client's own, wherever they stand and however many there are", async () => {
    expect(await sentTools({ input: [declare(search), hello] })).toEqual(["search"])
    expect(await sentTools({ input: [hello, declare(functions, search)] })).toEqual([
      ...["functions__exec", "search"],
    ])
    const other = { ...search, name: "other" }
    const input = [declare(search), hello, declare(other), declare()]
    expect(await sentTools({ input, tools: [exec] })).toEqual(["exec", "search", "other"])
  })

  it("are sent once if they are declared again", async () => {
    const newer = { ...search, description: "Newer." }
    expect(await sentTools({ tools: [search], input: [declare(newer), hello] })).toEqual(["search"])
    const sent = model === chatModel ? testbed.lastChatBody() : testbed.lastClaudeBody()
    expect(JSON.stringify(sent.tools)).toContain("Newer.")
  })

  it("remain known to later requests of a stored conversation", async () => {
    const first = await testbed.send({ model, input: [declare(functions), hello] })
    const previous_response_id = JSON.parse(first.text).id
    const body = { input: [hello], previous_response_id, store: true }
    expect(await sentTools(body)).toEqual(["functions__exec"])
    if (model !== chatModel) return
    const items = await answerCall(body, "functions__exec", '{"input":"1 + 1"}')
    for (const item of items) {
      expect(item).toMatchObject({
        ...{ type: "custom_tool_call", name: "exec", namespace: "functions", input: "1 + 1" },
      })
    }
  })

  it("are known to large requests and to those with a large history", async () => {
    const long = { type: "message", role: "user", content: "long ".repeat(250_000) }
    const input = [declare(functions), long]
    const first = await testbed.send({ model, input })
    const previous_response_id = JSON.parse(first.text).id
    const bodies = [
      { input, store: false },
      { input: [hello], previous_response_id },
    ]
    for (const body of bodies) {
      expect(await sentTools(body)).toEqual(["functions__exec"])
      if (model !== chatModel) continue
      for (const item of await answerCall(body, "functions__exec", '{"input":"1 + 1"}')) {
        expect(item).toMatchObject({ type: "custom_tool_call", name: "exec", input: "1 + 1" })
      }
    }
  })

  it.each<[string, object, string]>([
    ["no list", { type: "additional_tools" }, "tools"],
    ["a tool without a name", declare({ type: "function" }), "tools"],
    ["a tool that OpenAI runs", declare({ type: "web_search" }), "web_search"],
  ])("are refused with 400 if there is %s", async (_case, item, named) => {
    const { status, text } = await testbed.send({ model, input: [hello, item] })
    expect([status, text]).toEqual([400, expect.stringContaining(named)])
  })
})

describe("the client's search for tools", () => {
  const searchTool = { type: "tool_search", execution: "client", description: "Finds.", parameters }
  const call = {
    ...{ type: "tool_search_call", call_id: "call_1", execution: "client", status: "completed" },
    arguments: { query: "mail" },
  }
  const found = {
    ...{ type: "tool_search_output", call_id: "call_1", execution: "client", status: "completed" },
    tools: [search, functions],
  }

  it("is called as a function", async () => {
    const body = { input: [hello], tools: [searchTool], store: false }
    const items = await answerCall(body, "tool_search", '{"query":"mail"}')
    for (const item of items) expect(item).toMatchObject(call)
    expect(toolNames(testbed.lastChatBody())).toEqual(["tool_search"])
  })

  it("makes what it found known to the model", async () => {
    const input = [hello, call, found]
    const { status } = await testbed.send({ model: chatModel, input, tools: [searchTool] })
    expect(status).toBe(200)
    const sent = testbed.lastChatBody()
    expect(toolNames(sent)).toEqual(["tool_search", "search", "functions__exec"])
    expect(sent.messages).toMatchObject([
      { role: "user" },
      { tool_calls: [{ function: { name: "tool_search", arguments: '{"query":"mail"}' } }] },
      { role: "tool", content: "Tools: search, functions__exec" },
    ])
  })
})

it("a message between agents reaches the model with its author", async () => {
  const content = [{ type: "input_text", text: "Done." }]
  const message = { type: "agent_message", author: "/root/a", recipient: "/root", content }
  const body = { model: chatModel, input: [hello, message], store: false }
  expect((await testbed.send(body)).status).toBe(200)
  expect(JSON.stringify(testbed.lastChatBody().messages)).toMatch(/\/root\/a to \/root:.*Done\./)
})

describe("the input of a custom tool", () => {
  const patch = "*** Begin Patch\n+x"
  const grammar = { type: "grammar", syntax: "lark", definition: 'start: "a"' }

  it.each<[unknown, string | null]>([
    [{ input: patch }, patch],
    [{ input: "" }, ""],
    [{ patch }, patch],
    [{ Input: patch }, patch],
    [{ input: patch, reason: "because" }, patch],
    [{ input: "", patch }, patch],
    [{ input: null, patch, strict: true }, patch],
    [patch, patch],
    [{ command: ["apply_patch", patch] }, null],
    [{ command: ["apply_patch", patch], folder: "/" }, null],
    [{ patch, reason: "because" }, null],
    [{ input: { a: 1 } }, null],
    [{ input: [patch] }, null],
    [{ input: null }, null],
    [{ input: 7 }, null],
    [[patch], null],
    [{}, null],
    [7, null],
  ])("contains all the text of arguments of any form: %j", async (args, expected) => {
    for (const format of [undefined, grammar]) {
      const tool = { type: "custom", name: "apply_patch", ...(format && { format }) }
      const json = JSON.stringify(args)
      const body = { input: [hello], tools: [tool], store: false }
      const items = await answerCall(body, "apply_patch", json)
      const input = expected ?? json
      for (const item of items) {
        expect(item).toMatchObject({ type: "custom_tool_call", status: "completed", input })
      }
    }
  })

  it("is the text itself if that is not JSON", async () => {
    const body = { input: [hello], tools: [exec], store: false }
    const items = await answerCall(body, "exec", patch)
    expect(items.map(({ input }) => input)).toEqual([patch, patch])
  })
})
