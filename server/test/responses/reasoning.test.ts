import type OpenAI from "openai"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { claudeModel } from "../messages/messages-testbed.ts"
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
afterEach(() => testbed.reset())
afterAll(() => testbed.stop())

type Input = OpenAI.Responses.ResponseInput

const weather = {
  ...{ type: "function" as const, name: "weather", strict: false },
  parameters: { type: "object", properties: { city: { type: "string" } } },
}
const hello: Input = [{ role: "user", content: "Hello" }]
/** Reasoning, also such that nobody but the provider can read, and a tool call. */
const answer = [
  { type: "thinking" as const, thinking: "A greeting, in Lima?", signature: "c2ln/+=" },
  { type: "redacted_thinking" as const, data: "cmVkYWN0ZWQ=" },
  {
    ...{ type: "tool_use" as const, id: "toolu_1", name: "weather", input: { city: "Lima" } },
    caller: { type: "direct" as const },
  },
]
const result = { type: "function_call_output" as const, call_id: "toolu_1", output: "Sunny." }
const params = (model: string, input: Input) => ({
  ...{ model, input, tools: [weather], reasoning: { effort: "high" as const }, store: false },
  include: ["reasoning.encrypted_content" as const],
})
const readDropped = async (body: object): Promise<string | null> => {
  const { status, headers } = await testbed.send(body)
  expect(status).toBe(200)
  return headers.get("x-portico-dropped")
}

describe("the reasoning of Claude", () => {
  it.each(["whole", "streamed"] as const)("goes back to it unchanged, %s", async (form) => {
    testbed.anthropic.reply = answer
    const first = (await testbed.askBoth(params(claudeModel, hello)))[form]
    expect(first.output).toMatchObject([
      { type: "reasoning", summary: [{ text: "A greeting, in Lima?" }] },
      { type: "reasoning", summary: [] },
      { type: "function_call", call_id: "toolu_1" },
    ])
    testbed.anthropic.reply = "text"
    const input = [...hello, ...first.output, result] as Input
    // As Codex sends it.
    const sent = input.map((item) =>
      "summary" in item ? { ...item, content: null as never } : item,
    )
    expect(await readDropped(params(claudeModel, sent))).toBeNull()
    const { messages } = testbed.anthropic.lastBody()
    expect(messages[1]?.content).toEqual([
      ...answer.slice(0, 2),
      { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Lima" } },
    ])
  })

  it.each(["whole", "streamed"] as const)("keeps its place, %s", async (form) => {
    const text = { type: "text" as const, text: "I will look.", citations: null }
    testbed.anthropic.reply = [...answer.slice(0, 1), text, ...answer.slice(1)]
    const first = (await testbed.askBoth(params(claudeModel, hello)))[form]
    testbed.anthropic.reply = "text"
    await readDropped(params(claudeModel, [...hello, ...first.output, result] as Input))
    const [, sent] = testbed.anthropic.lastBody().messages
    expect(sent).toMatchObject({
      content: [
        { type: "thinking", signature: "c2ln/+=" },
        { type: "text", text: "I will look." },
        { type: "redacted_thinking" },
        { type: "tool_use" },
      ],
    })
  })

  it("is left out for other models, and named", async () => {
    testbed.anthropic.reply = answer
    const first = await testbed.client.responses.create(params(claudeModel, hello))
    const input = [...hello, ...first.output, result] as Input
    const dropped = await readDropped({ ...params(chatModel, input), reasoning: undefined })
    expect(dropped).toBe("thinking")
    expect(JSON.stringify(testbed.lastChatBody())).not.toContain("greeting")
    await testbed.client.responses.create(params(nativeModel, input))
    expect(testbed.lastNativeBody().input).toMatchObject([
      { role: "user" },
      { type: "function_call" },
      { type: "function_call_output" },
    ])
  })
})

describe("reasoning that another provider encrypted", () => {
  const foreign = { type: "reasoning" as const, id: "rs_1", encrypted_content: "gAAAAABo" }
  const ending: Input = [
    { role: "assistant", content: "Hi." },
    { role: "user", content: "And now?" },
  ]

  it.each([chatModel, claudeModel])("is left out for %s, and named", async (model) => {
    const input: Input = [...hello, { ...foreign, summary: [] }, ...ending]
    const dropped = await readDropped({ model, input })
    expect(dropped).toBe("reasoning")
    const sent = model === chatModel ? testbed.lastChatBody() : testbed.lastClaudeBody()
    expect(JSON.stringify(sent)).not.toMatch(/gAAAA|rs_1/)
  })

  it("goes back to its provider", async () => {
    const input: Input = [...hello, { ...foreign, summary: [] }, ...ending]
    await testbed.client.responses.create({ model: nativeModel, input })
    expect(testbed.lastNativeBody().input).toEqual(input)
  })

  it.each(["portico.", "portico.bnVsbA", "portico.eyJ0eXBlIjo1fQ", "portico.%%%"])(
    "or that was changed does no harm: %s",
    async (encrypted_content) => {
      const input: Input = [...hello, { ...foreign, encrypted_content, summary: [] }, ...ending]
      expect(await readDropped({ model: claudeModel, input })).toBe("reasoning")
      expect(testbed.anthropic.lastBody().messages).toHaveLength(3)
    },
  )
})

describe("reasoning without a signature", () => {
  const thought = "Thinking about: Hello"

  it("goes back with the results of the tool calls that followed from it", async () => {
    const first = await testbed.client.responses.create(params(reasoningModel, hello))
    expect(first.output).toMatchObject([{ type: "reasoning" }, { type: "function_call" }])
    const call = first.output.find((item) => item.type === "function_call")
    const output = { ...result, call_id: call?.call_id ?? "" }
    const turns = [...hello, ...first.output, output] as Input
    await testbed.client.responses.create(params(reasoningModel, turns))
    const [, calling] = testbed.lastChatBody().messages as object[]
    expect(calling).toMatchObject({ role: "assistant", reasoning_content: thought })

    const next: Input = [
      ...turns,
      { role: "assistant", content: "Sunny." },
      { role: "user", content: "And now?" },
    ]
    await testbed.client.responses.create(params(reasoningModel, next))
    expect(JSON.stringify(testbed.lastChatBody())).not.toContain(thought)
  })

  it("is left out for Claude, and named", async () => {
    const first = await testbed.client.responses.create(params(reasoningModel, hello))
    const [reasoning] = first.output
    if (reasoning?.type !== "reasoning") throw new Error("The model did not reason")
    const input: Input = [...hello, reasoning, { role: "assistant", content: "Hi." }, ...hello]
    expect(await readDropped({ model: claudeModel, input })).toBe("thinking")
    expect(JSON.stringify(testbed.lastClaudeBody())).not.toContain("Thinking about")
  })
})

describe("reasoning effort", () => {
  it("reaches models that reason", async () => {
    await testbed.client.responses.create(params(claudeModel, hello))
    expect(testbed.lastClaudeBody()).toMatchObject({ output_config: { effort: "high" } })
    expect(await readDropped(params(chatModel, hello))).toBe("effort")
  })
})
