import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { pythonTimeoutMs, usePythonProgram } from "../clients/python-tasks.ts"
import {
  chatModel,
  claudeModel,
  type MessagesTestbed,
  reasoningModel,
  startMessagesTestbed,
} from "./messages-testbed.ts"

let testbed: MessagesTestbed

/** Runs a task of `use_sdk.py`. @returns what it prints */
const runTask = usePythonProgram({
  module: "anthropic",
  url: new URL("./python-sdk/use_sdk.py", import.meta.url),
  gatewayUrl: () => testbed.gateway.url,
})

beforeAll(async () => {
  testbed = await startMessagesTestbed()
}, pythonTimeoutMs)
afterEach(() => testbed.reset())
afterAll(() => testbed.stop())

const answers = [
  [chatModel, "You said: Hello from Python"],
  [claudeModel, "Hello there."],
]

describe("Anthropic's Python SDK", { timeout: pythonTimeoutMs }, () => {
  it.each(answers)("gets a whole message from %s", async (model, text) => {
    expect(await runTask("whole", model)).toMatchObject({
      ...{ type: "message", role: "assistant", stop_reason: "end_turn" },
      content: [{ type: "text", text }],
    })
  })

  it.each(answers)("streams a message from %s", async (model, text) => {
    const { text: streamed, message } = await runTask("stream", model)
    expect(streamed).toBe(text)
    expect(message).toMatchObject({ stop_reason: "end_turn", content: [{ type: "text", text }] })
    expect(message.usage.output_tokens).toBeGreaterThan(0)
  })

  it("calls tools of a chat model", async () => {
    const { called, answer } = await runTask("tools", chatModel)
    expect(called).toMatchObject({
      stop_reason: "tool_use",
      content: [{ type: "tool_use", name: "weather", input: { city: "Hello from Python" } }],
    })
    expect(answer.content).toMatchObject([{ type: "text", text: "The tool said: Sunny." }])
  })

  it("calls tools of a model of Anthropic", async () => {
    testbed.anthropic.reply = "tools"
    const { called } = await runTask("tools", claudeModel)
    expect(called.content).toMatchObject([
      { type: "text", text: "I will look." },
      { type: "tool_use", id: "toolu_1", input: { city: "Lima", days: [1, 2] } },
      { type: "tool_use", id: "toolu_2", input: {} },
    ])
    expect(testbed.anthropic.lastBody().messages[2]?.content).toEqual([
      { type: "tool_result", tool_use_id: "toolu_1", content: "Sunny." },
      { type: "tool_result", tool_use_id: "toolu_2", content: "Sunny." },
    ])
  })

  it("gets reasoning, and sends it back", async () => {
    testbed.anthropic.reply = "thinking"
    const claude = await runTask("thinking", claudeModel)
    const signed = { type: "thinking", thinking: "A greeting.", signature: "c2ln" }
    for (const { content } of [claude.whole, claude.streamed]) expect(content[0]).toEqual(signed)
    const [, answer] = testbed.anthropic.lastBody().messages
    expect(answer?.content).toMatchObject([signed, { type: "text", text: "Hello there." }])

    const chat = await runTask("thinking", reasoningModel)
    for (const { content } of [chat.whole, chat.streamed]) {
      const thinking = "Thinking about: Hello from Python"
      expect(content[0]).toEqual({ type: "thinking", thinking, signature: "" })
    }
  })

  it("counts tokens", async () => {
    expect(await runTask("count_tokens", claudeModel)).toEqual({ input_tokens: 2095 })
    const { input_tokens } = await runTask("count_tokens", chatModel)
    expect(input_tokens).toBeGreaterThan(30)
    expect(input_tokens).toBeLessThan(200)
  })

  it.each([
    ["BadRequestError", 400, "invalid_request_error"],
    ["RateLimitError", 429, "rate_limit_error"],
    ["OverloadedError", 529, "overloaded_error"],
  ])("raises %s", async (name, status, type) => {
    const message = "No."
    const headers = { "content-type": "application/json", "retry-after": "7" }
    const fault = { kind: "status" as const, status, headers, body: { error: { message } } }
    testbed.openai.injectFault(fault, { times: 2, on: /completions/ })
    const body = { type: "error", error: { type, message } }
    const found = { class: name, status, body, retry_after: "7" }
    expect(await runTask("error", chatModel)).toEqual([found, found])
  })

  it("raises errors for a wrong key, an unknown model and a broken stream", async () => {
    expect(await runTask("error", chatModel, "sk-wrong")).toMatchObject([
      { class: "AuthenticationError", status: 401 },
      { class: "AuthenticationError", status: 401 },
    ])
    expect(await runTask("error", "unknown")).toMatchObject([
      { class: "NotFoundError", status: 404 },
      { class: "NotFoundError", status: 404 },
    ])
    const broken = { kind: "break" as const, after: 3 }
    testbed.anthropic.injectFault(broken, { times: 2, on: /messages/ })
    expect(await runTask("error", claudeModel)).toMatchObject([
      { class: "InternalServerError", status: 502 },
      { class: "APIStatusError", body: { type: "error", error: { type: "api_error" } } },
    ])
  })
})
