import { describe, expect, it } from "vitest"
import {
  chatModel,
  claudeModel,
  hello,
  requestTo,
  testbed,
  useMessagesTestbed,
  weather,
} from "./messages-testbed.ts"

useMessagesTestbed()

const withBlock = (block: object) => ({
  ...requestTo(chatModel),
  messages: [{ role: "user", content: [block] }],
})
const ephemeral = { type: "ephemeral" }

describe("what a chat model cannot do", () => {
  it.each([
    ["tools of Anthropic's", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    [
      "tools of clients that only Claude knows",
      { tools: [{ type: "bash_20250124", name: "bash" }] },
    ],
    ["containers", { container: "container_1" }],
    ["MCP servers", { mcp_servers: [{ type: "url", url: "https://example.com", name: "m" }] }],
    ["files of Anthropic's", withBlock({ type: "image", source: { type: "file", file_id: "f" } })],
    [
      "documents of its files",
      withBlock({ type: "document", source: { type: "file", file_id: "f" } }),
    ],
    [
      "files of Anthropic's within documents",
      withBlock({
        type: "document",
        source: {
          type: "content",
          content: [{ type: "image", source: { type: "file", file_id: "f" } }],
        },
      }),
    ],
    ["uploads to a container", withBlock({ type: "container_upload", file_id: "f" })],
  ])("is rejected and named: %s", async (_what, fields) => {
    const names: Record<string, string> = {
      tools: '"web_search" of type "web_search_20250305"|"bash" of type "bash_20250124"',
      container: '"container"',
      mcp_servers: '"mcp_servers"',
      messages: '"file"|"container_upload"',
    }
    const before = testbed.openai.requests.length
    const { status, text } = await testbed.send({ ...requestTo(chatModel), ...fields })
    expect(status).toBe(400)
    const { type, error } = JSON.parse(text)
    expect([type, error.type]).toEqual(["error", "invalid_request_error"])
    const [name] = Object.keys(fields).filter((field) => field in names && field !== "model")
    expect(error.message).toMatch(new RegExp(names[name ?? ""] ?? "none"))
    const requests = testbed.openai.requests.slice(before)
    expect(requests.filter(({ path }) => path.includes("completions"))).toEqual([])
  })

  it.each([
    ["container", null],
    ["mcp_servers", []],
  ])("is ignored if it is empty: %s", async (name, value) => {
    const { status, headers } = await testbed.send({ ...requestTo(chatModel), [name]: value })
    expect(status).toBe(200)
    expect(headers.get("x-portico-dropped")).toBeNull()
  })
})

describe("x-portico-dropped", () => {
  it.each<[string, object]>([
    ["top_k", { top_k: 5 }],
    ["thinking", { thinking: { type: "enabled", budget_tokens: 2000 } }],
    ["service_tier", { service_tier: "auto" }],
    ["inference_geo", { inference_geo: "eu" }],
    ["metadata.user_id", { metadata: { user_id: "u".repeat(65) } }],
    ["effort", { output_config: { effort: "high" } }],
    ["cache_control", { cache_control: ephemeral }],
    ["cache_control", { system: [{ type: "text", text: "Hi", cache_control: ephemeral }] }],
    ["cache_control", { tools: [{ ...weather, cache_control: ephemeral }] }],
    [
      "cache_control",
      {
        messages: [
          ...hello,
          {
            role: "assistant",
            content: [
              { type: "tool_use", id: "1", name: "weather", input: {}, cache_control: ephemeral },
            ],
          },
          {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "1", cache_control: ephemeral }],
          },
        ],
      },
    ],
    [
      "context, citations",
      withBlock({
        ...{ type: "document", context: "About bees", citations: { enabled: true } },
        source: { type: "text", media_type: "text/plain", data: "Bees dance." },
      }),
    ],
    [
      "citations",
      withBlock({
        ...{ type: "search_result", source: "https://example.com", title: "Bees" },
        ...{ content: [{ type: "text", text: "Bees dance." }], citations: { enabled: true } },
      }),
    ],
    ["top_k, thinking", { top_k: 5, thinking: { type: "adaptive" } }],
  ])("names %s", async (names, fields) => {
    for (const stream of [false, true]) {
      const body = { ...requestTo(chatModel), ...fields, stream }
      const { status, headers } = await testbed.send(body)
      expect(status).toBe(200)
      const dropped = headers.get("x-portico-dropped")?.split(", ").sort()
      expect(dropped).toEqual(names.split(", ").sort())
    }
    const sent = JSON.stringify(testbed.lastChatBody())
    for (const name of ["top_k", "thinking", "service_tier", "cache_control", "uuu"]) {
      expect(sent).not.toContain(name)
    }
  })

  it("names the records of what Anthropic's own tools did", async () => {
    const id = "srvtoolu_1"
    const content = [
      { type: "text", text: "I will look." },
      { type: "server_tool_use", id, name: "web_search", input: { query: "Lima" } },
      { type: "web_search_tool_result", tool_use_id: id, content: [] },
      { type: "mcp_tool_use", id: "mcptoolu_1", name: "find", server_name: "maps", input: {} },
      { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [] },
      { type: "text", text: "It is sunny." },
    ]
    const messages = [...hello, { role: "assistant", content }, ...hello]
    const { status, headers } = await testbed.send({ ...requestTo(chatModel), messages })
    const names = ["server_tool_use", "web_search_tool_result", "mcp_tool_use", "mcp_tool_result"]
    expect([status, headers.get("x-portico-dropped")]).toEqual([200, names.join(", ")])
    const sent = JSON.stringify(testbed.lastChatBody())
    expect(sent).toMatch(/I will look.*It is sunny/)
    expect(sent).not.toMatch(/web_search|mcp/)
  })

  it("is absent if nothing is dropped", async () => {
    const { headers } = await testbed.send({
      ...{ ...requestTo(chatModel), system: "Be brief.", tools: [weather], temperature: 0.5 },
      ...{ stop_sequences: ["x"], metadata: { user_id: "u".repeat(64) }, top_p: 0.5 },
      thinking: { type: "disabled" },
    })
    expect(headers.get("x-portico-dropped")).toBeNull()
    expect(testbed.lastChatBody()).toMatchObject({ user: "u".repeat(64) })
  })

  it("is in the response to an error too", async () => {
    const body = { error: { message: "No." } }
    testbed.openai.injectFault({ kind: "status", status: 400, body }, { on: /completions/ })
    const { status, headers } = await testbed.send({ ...requestTo(chatModel), top_k: 5 })
    expect(status).toBe(400)
    expect(headers.get("x-portico-dropped")).toBe("top_k")
  })

  it("is absent for models of Anthropic, which get the request as it is", async () => {
    const { headers } = await testbed.send({ ...requestTo(claudeModel), top_k: 5 })
    expect(headers.get("x-portico-dropped")).toBeNull()
  })
})
