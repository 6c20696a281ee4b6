import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  chatModel,
  type MessagesTestbed,
  startMessagesTestbed,
  weather,
} from "./messages-testbed.ts"

let testbed: MessagesTestbed

beforeAll(async () => {
  testbed = await startMessagesTestbed()
  await testbed.gateway.call("POST", "/api/v1/models/create", {
    ...{ id: "captain", name: "Captain", base_model_id: "claude-fake" },
    params: { system: "You are a captain." },
  })
})
afterAll(() => testbed.stop())

const search = { name: "ToolSearch", input_schema: { type: "object", properties: {} } }
const deferred = { ...weather, defer_loading: true }
const found = { type: "tool_reference", tool_name: "weather" }
const messages = [
  { role: "user", content: "Is it sunny?" },
  {
    role: "assistant",
    content: [{ type: "tool_use", id: "toolu_1", name: "ToolSearch", input: {} }],
  },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [found] }],
  },
]
const body = { model: chatModel, max_tokens: 100, tools: [search, deferred], messages }

const headerOf = async (fields: object) => {
  const { status, headers, text } = await testbed.send({ ...body, ...fields })
  expect(status, text).toBe(200)
  return headers.get("x-portico-dropped")
}

describe("a search for tools with a chat model", () => {
  it("has all tools, and the names of those that were found", async () => {
    expect(await headerOf({})).toBe("defer_loading")
    const { tools, messages: sent } = testbed.lastChatBody()
    expect(tools).toMatchObject([
      { function: { name: "ToolSearch" } },
      { function: { name: "weather" } },
    ])
    expect(sent).toMatchObject([{}, {}, { role: "tool", content: "weather" }])
    expect(JSON.stringify(tools)).not.toContain("defer_loading")
  })

  it("has each name in a line of its own", async () => {
    const content = [found, { ...found, tool_name: "now" }]
    const result = { type: "tool_result", tool_use_id: "toolu_1", content }
    await headerOf({ messages: [...messages.slice(0, 2), { role: "user", content: [result] }] })
    expect(testbed.lastChatBody().messages).toMatchObject([{}, {}, { content: "weather\n\nnow" }])
  })

  it.each(["tool_search_tool_regex_20251119", "tool_search_tool_bm25_20251119"])(
    "needs no tool of Anthropic's, which is named: %s",
    async (type) => {
      const tool = { type, name: type.slice(0, -"_20251119".length) }
      expect(await headerOf({ tools: [tool, deferred] })).toBe(`${type}, defer_loading`)
      expect(testbed.lastChatBody().tools).toMatchObject([{ function: { name: "weather" } }])
    },
  )

  it("can be continued after one on Anthropic's servers, whose records are named", async () => {
    const name = "tool_search_tool_regex"
    const id = "srvtoolu_1"
    const content = [
      { type: "server_tool_use", id, name, input: { query: "weather" } },
      { type: "tool_search_tool_result", tool_use_id: id, content: { tool_references: [found] } },
      { type: "text", text: "I found one." },
    ]
    const turns = [messages[0], { role: "assistant", content }, messages[0]]
    const dropped = await headerOf({ tools: [weather], messages: turns })
    expect(dropped).toBe("server_tool_use, tool_search_tool_result")
  })

  it("can be counted", async () => {
    const { max_tokens: _limit, ...counted } = body
    const { status, text } = await testbed.send(counted, {}, "/messages/count_tokens")
    expect(status, text).toBe(200)
    expect(JSON.parse(text).input_tokens).toBeGreaterThan(10)
  })

  it("also works where the gateway changes a prompt to Claude", async () => {
    expect(await headerOf({ model: "captain" })).toBe("defer_loading")
    const [, , result] = testbed.anthropic.lastBody().messages
    expect(result?.content).toMatchObject([{ content: [{ type: "text", text: "weather" }] }])
  })
})

describe("what a tool says besides its parameters", () => {
  it("is named if chat models lack it", async () => {
    const tool = { ...weather, defer_loading: true, input_examples: [{ city: "Lima" }] }
    expect(await headerOf({ tools: [{ ...tool, eager_input_streaming: true }] })).toBe(
      "defer_loading, input_examples, eager_input_streaming",
    )
  })

  it("is not named if it asks for nothing special", async () => {
    const tool = { ...weather, type: "custom", defer_loading: false, allowed_callers: ["direct"] }
    expect(await headerOf({ tools: [tool], messages: messages.slice(0, 1) })).toBeNull()
  })
})
