import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { pythonTimeoutMs, usePythonProgram } from "../clients/python-tasks.ts"
import { claudeModel } from "../messages/messages-testbed.ts"
import {
  chatModel,
  nativeModel,
  type ResponsesTestbed,
  startResponsesTestbed,
} from "./responses-testbed.ts"

let testbed: ResponsesTestbed

/** Runs a task of `use_sdk.py`. @returns what it prints */
const runTask = usePythonProgram({
  module: "openai",
  url: new URL("./python-sdk/use_sdk.py", import.meta.url),
  gatewayUrl: () => testbed.gateway.url,
})

beforeAll(async () => {
  testbed = await startResponsesTestbed()
}, pythonTimeoutMs)
afterEach(() => testbed.reset())
afterAll(() => testbed.stop())

const answers = [
  [chatModel, "You said: Hello from Python"],
  [claudeModel, "Hello there."],
  [nativeModel, "You said: Hello from Python"],
]

describe("OpenAI's Python SDK", { timeout: pythonTimeoutMs }, () => {
  it.each(answers)("gets a response from %s, whole and streamed", async (model, text) => {
    for (const response of await runTask("both", String(model))) {
      expect(response).toMatchObject({
        ...{ object: "response", status: "completed", error: null, store: true },
        ...{ metadata: { topic: "greeting" }, temperature: 0.5 },
        output: [{ type: "message", role: "assistant", content: [{ text, annotations: [] }] }],
      })
      expect(response.usage.output_tokens).toBeGreaterThan(0)
    }
  })

  it.each([chatModel, claudeModel, nativeModel])("continues a response of %s", async (model) => {
    const { second, stored, items, after_deletion } = await runTask("state", model)
    expect(stored).toEqual(second)
    expect(second.previous_response_id).toMatch(/^resp_/)
    expect(items).toMatchObject([{ type: "message", role: "user", content: [{ text: "Two" }] }])
    expect(after_deletion).toEqual([
      [404, "not_found"],
      [400, "previous_response_not_found"],
    ])
  })

  it("calls tools, also custom ones", async () => {
    const { called, answer } = await runTask("tools", chatModel)
    expect(called.output).toMatchObject([
      { type: "custom_tool_call", name: "patch", input: "Hello from Python" },
      { type: "function_call", name: "now", arguments: "{}" },
    ])
    expect(answer.output).toMatchObject([{ content: [{ text: "The tool said: Done." }] }])
  })

  it.each([chatModel, claudeModel, nativeModel])("reads a broken stream of %s", async (model) => {
    const upstreams = [testbed.chat, testbed.anthropic, testbed.openai]
    const on = model === chatModel ? /completions/ : /messages|responses/
    for (const upstream of upstreams) upstream.injectFault({ kind: "break", after: 5 }, { on })
    const { types, last } = await runTask("events", model)
    expect(types.slice(0, 2)).toEqual(["response.created", "response.in_progress"])
    expect(last).toMatchObject({
      ...{ type: "response.failed", sequence_number: types.length - 1 },
      response: { status: "failed", error: { code: "server_error" } },
    })
  })

  it.each([
    ["BadRequestError", 400, "context_length_exceeded"],
    ["RateLimitError", 429, "rate_limit_exceeded"],
    ["InternalServerError", 503, "server_is_overloaded"],
  ])("raises %s", async (name, status, code) => {
    const body = { error: { message: "No.", type: "some_error", param: "input", code } }
    const fault = { kind: "status" as const, status, headers: { "retry-after": "7" }, body }
    for (const model of [chatModel, nativeModel]) {
      testbed.chat.injectFault(fault, { times: 2, on: /completions/ })
      testbed.openai.injectFault(fault, { times: 2, on: /responses/ })
      // The members of a converted request have other names.
      const param = model === nativeModel ? "input" : null
      const found = { class: name, status, code, param, retry_after: "7" }
      expect(await runTask("error", model)).toEqual([found, found])
      testbed.reset()
    }
  })

  it("raises errors for a wrong key and an unknown model", async () => {
    const wrongKey = { class: "AuthenticationError", status: 401 }
    expect(await runTask("error", chatModel, "sk-wrong")).toMatchObject([wrongKey, wrongKey])
    const unknown = { class: "NotFoundError", status: 404, code: "model_not_found" }
    expect(await runTask("error", "unknown")).toMatchObject([unknown, unknown])
  })
})
