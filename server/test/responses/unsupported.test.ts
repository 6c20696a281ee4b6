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

const hello = { role: "user", content: "Hello" }
const weather = { type: "function", name: "weather", parameters: { type: "object" } }
const agents = { type: "namespace", name: "agents", tools: [weather] }
const withPart = (part: object) => ({ input: [{ role: "user", content: [part] }] })
const withItem = (item: object) => ({ input: [hello, item] })

const countRequests = (): number =>
  [testbed.chat, testbed.anthropic].reduce((sum, { requests }) => sum + requests.length, 0)

describe.each([chatModel, claudeModel])("what %s cannot do", (model) => {
  it.each([
    ["web_search", { tools: [weather, { type: "web_search" }] }, "tools"],
    ["web_search_preview", { tools: [{ type: "web_search_preview" }] }, "tools"],
    ["file_search", { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }, "tools"],
    ["computer", { tools: [{ type: "computer" }] }, "tools"],
    ["code_interpreter", { tools: [{ type: "code_interpreter" }] }, "tools"],
    ["image_generation", { tools: [{ type: "image_generation" }] }, "tools"],
    ["mcp", { tools: [{ type: "mcp", server_label: "m", server_url: "https://a" }] }, "tools"],
    ["local_shell", { tools: [{ type: "local_shell" }] }, "tools"],
    ["tool_search", { tools: [{ type: "tool_search" }] }, "tools"],
    ["mcp", { tools: [weather], tool_choice: { type: "mcp", server_label: "m" } }, "tool_choice"],
    ["agents__weather", { tools: [agents, { ...weather, name: "agents__weather" }] }, "tools"],
    ["weather", { tools: [{ ...weather, name: "agents__weather" }, agents] }, "tools"],
    ["prompt", { prompt: { id: "pmpt_1" } }, "prompt"],
    ["computer_call", withItem({ type: "computer_call", call_id: "1" }), "input"],
    ["computer_call_output", withItem({ type: "computer_call_output", call_id: "1" }), "input"],
    ["local_shell_call", withItem({ type: "local_shell_call", call_id: "1" }), "input"],
    ["shell_call", withItem({ type: "shell_call", call_id: "1" }), "input"],
    ["apply_patch_call", withItem({ type: "apply_patch_call", call_id: "1" }), "input"],
    ["mcp_approval_response", withItem({ type: "mcp_approval_response" }), "input"],
    ["compaction", withItem({ type: "compaction", encrypted_content: "x" }), "input"],
    ["ghost_snapshot", withItem({ type: "ghost_snapshot" }), "input"],
    ["input_image", withPart({ type: "input_image", detail: "auto" }), "input"],
    ["input_file", withPart({ type: "input_file", filename: "a.pdf" }), "input"],
    ["constructor", withItem({ type: "constructor" }), "input"],
    ["toString", withPart({ type: "toString" }), "input"],
    ["input_video", withPart({ type: "input_video" }), "input"],
  ])("is rejected and named: %s", async (name, fields, param) => {
    for (const stream of [false, true]) {
      const before = countRequests()
      const { status, text } = await testbed.send({ model, input: "Hello", stream, ...fields })
      expect(status).toBe(400)
      expect(JSON.parse(text)).toMatchObject({
        error: {
          ...{ type: "invalid_request_error", code: "unsupported_by_model", param },
          message: expect.stringContaining(`"${name}"`),
        },
      })
      expect(countRequests()).toBe(before)
    }
  })
})

it("says what to do about a tool that the provider does not offer", async () => {
  const { text } = await testbed.send({
    ...{ model: chatModel, input: "Hello", tools: [{ type: "web_search" }] },
  })
  expect(JSON.parse(text).error.message).toBe(
    'This model does not support the tool of type "web_search". ' +
      "Remove the tool, or choose a model whose provider offers it.",
  )
})

describe.each([chatModel, claudeModel, nativeModel])("the API itself, with %s", (model) => {
  it.each([
    ["background", true],
    ["conversation", "conv_1"],
    ["conversation", { id: "conv_1" }],
  ])("does not have %s: %j", async (param, value) => {
    const { status, text } = await testbed.send({ model, input: "Hello", [param]: value })
    expect(status).toBe(501)
    expect(JSON.parse(text)).toMatchObject({ error: { code: "not_implemented", param } })
  })

  it("accepts them without a value", async () => {
    const body = { model, input: "Hello", background: false, conversation: null, prompt: null }
    expect((await testbed.send(body)).status).toBe(200)
  })
})

describe("x-portico-dropped", () => {
  it.each<[string, object]>([
    ["truncation", { truncation: "auto" }],
    ["service_tier", { service_tier: "flex" }],
    ["top_logprobs", { top_logprobs: 3 }],
    ["max_tool_calls", { max_tool_calls: 3 }],
    ["prompt_cache_key", { prompt_cache_key: "a" }],
    ["safety_identifier", { safety_identifier: "a" }],
    ["client_metadata", { client_metadata: { a: "b" } }],
    ["text.verbosity", { text: { verbosity: "low" } }],
    ["effort", { reasoning: { effort: "low", summary: "auto" } }],
    ["effort, reasoning.summary", { reasoning: { effort: "low", summary: "concise" } }],
    ["reasoning.context", { reasoning: { context: "all_turns", mode: "standard" } }],
    [
      "include.message.output_text.logprobs",
      { include: ["reasoning.encrypted_content", "message.output_text.logprobs"] },
    ],
    ["truncation, x_new", { truncation: "auto", x_new: 1 }],
  ])("names %s", async (names, fields) => {
    for (const stream of [false, true]) {
      const body = { model: chatModel, input: "Hello", ...fields, stream }
      const { status, headers } = await testbed.send(body)
      expect(status).toBe(200)
      const dropped = headers.get("x-portico-dropped")?.split(", ").sort()
      expect(dropped).toEqual(names.split(", "))
    }
    const { stream_options: _options, ...sent } = testbed.lastChatBody()
    expect(sent).toEqual({
      ...{ model: chatModel, messages: [{ role: "user", content: "Hello" }], stream: true },
    })
  })

  it("is absent if nothing is dropped", async () => {
    const body = {
      ...{ model: chatModel, input: "Hello", instructions: "Be brief.", tools: [weather] },
      ...{ tool_choice: "auto", truncation: "disabled", service_tier: "auto", top_logprobs: 0 },
      ...{ metadata: { a: "b" }, user: "ada", reasoning: { summary: "auto" }, text: null },
      include: ["reasoning.encrypted_content", "message.input_image.image_url"],
      ...{ max_tool_calls: null, previous_response_id: null, stream_options: null, store: true },
    }
    const { headers } = await testbed.send(body)
    expect(headers.get("x-portico-dropped")).toBeNull()
  })

  it("is in the response to an error too", async () => {
    const body = { error: { message: "No." } }
    testbed.chat.injectFault({ kind: "status", status: 400, body }, { on: /completions/ })
    const response = await testbed.send({ model: chatModel, input: "Hello", truncation: "auto" })
    expect(response.status).toBe(400)
    expect(response.headers.get("x-portico-dropped")).toBe("truncation")
  })
})

it.each(["/v1", "/api", "/api/v1"])(
  "%s/responses/input_tokens says how to count tokens instead",
  async (prefix) => {
    const path = `${prefix}/responses/input_tokens`
    const { status, body } = await testbed.gateway.call("POST", path, {
      model: chatModel,
      input: "x",
    })
    expect(status).toBe(404)
    expect(body.error).toMatchObject({
      ...{ code: "not_found", message: expect.stringContaining("/v1/messages/count_tokens") },
    })
  },
)
