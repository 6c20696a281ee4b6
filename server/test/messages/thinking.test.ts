import type { MessageParam } from "@anthropic-ai/sdk/resources"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { createOpenAIModel } from "../fakes/openai.ts"
import { saveFunction } from "../functions/function-client.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import {
  chatModel,
  claudeModel,
  hello,
  type MessagesTestbed,
  startMessagesTestbed,
  weather,
} from "./messages-testbed.ts"

let testbed: MessagesTestbed

beforeAll(async () => {
  testbed = await startMessagesTestbed()
  const { gateway } = testbed
  await gateway.call("POST", "/api/v1/models/create", {
    ...{ id: "captain", name: "Captain", base_model_id: claudeModel },
    params: { system: "You are a captain." },
  })
  await gateway.call("POST", "/api/v1/models/create", {
    ...{ id: "masked", name: "Masked", base_model_id: claudeModel },
  })
  await waitForModels(gateway, ["captain", "masked"])
  const code = `export const before = (request) => request
    export const chunk = (delta) => delta`
  await saveFunction(gateway, "same", code, { filter_models: ["masked"] })
})
afterEach(() => testbed.reset())
afterAll(() => testbed.stop())

/** A tool call, and reasoning before and between texts, also such that only the provider can read. */
const answer = [
  { type: "thinking" as const, thinking: "A greeting, in Lima?", signature: "c2ln/+=" },
  { type: "thinking" as const, thinking: "", signature: "b21pdHRlZA==" },
  { type: "redacted_thinking" as const, data: "cmVkYWN0ZWQ=" },
  { type: "text" as const, text: "I will look.", citations: null },
  { type: "thinking" as const, thinking: "Which unit?", signature: "dW5pdA==" },
  { type: "text" as const, text: "In Celsius.", citations: null },
  { type: "thinking" as const, thinking: "The tool knows.", signature: "dG9vbA==" },
  {
    type: "tool_use" as const,
    id: "toolu_1",
    name: "weather",
    input: { city: "Lima" },
    caller: { type: "direct" as const },
  },
]
const sentContent = [
  ...answer.slice(0, 3),
  { type: "text", text: "I will look." },
  answer[4],
  { type: "text", text: "In Celsius." },
  answer[6],
  { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Lima" } },
]

const params = (model: string, messages: MessageParam[] = hello) => ({
  ...{ model, messages, max_tokens: 4000, tools: [weather] },
  thinking: { type: "enabled" as const, budget_tokens: 2000 },
})

describe.each([claudeModel, "captain", "masked"])("the reasoning of %s", (model) => {
  it.each(["whole", "streamed"])("goes back to its provider unchanged, %s", async (form) => {
    testbed.anthropic.reply = answer
    const { client } = testbed
    const first =
      form === "whole"
        ? await client.messages.create(params(model))
        : await client.messages.stream(params(model)).finalMessage()
    expect(first.content).toMatchObject(sentContent)
    expect(first.stop_reason).toBe("tool_use")
    expect(first.usage).toMatchObject({
      input_tokens: 11,
      cache_read_input_tokens: 2000,
      cache_creation_input_tokens: 100,
      output_tokens: 7,
    })
    testbed.anthropic.reply = "text"
    const result = { type: "tool_result" as const, tool_use_id: "toolu_1", content: "Sunny." }
    const turns: MessageParam[] = [
      ...hello,
      { role: "assistant", content: first.content },
      { role: "user", content: [result] },
    ]
    const { response } = await client.messages.create(params(model, turns)).withResponse()
    const { messages, thinking } = testbed.anthropic.lastBody()
    expect(thinking).toEqual({ type: "enabled", budget_tokens: 2000 })
    const content = messages[1]?.content
    expect(content).toMatchObject(sentContent)
    expect(Array.isArray(content) && content.slice(0, 3)).toEqual(answer.slice(0, 3))
    expect(response.headers.get("x-portico-dropped")).toBeNull()
  })
})

describe.each([claudeModel, "captain", "masked"])("a stop sequence that ended %s", (model) => {
  it.each(["whole", "streamed"])("is named in the answer, %s", async (form) => {
    Object.assign(testbed.anthropic, { stopReason: "stop_sequence", stopSequence: "END" })
    const { messages } = testbed.client
    const message =
      form === "whole"
        ? await messages.create(params(model))
        : await messages.stream(params(model)).finalMessage()
    expect(message).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: "END" })
  })
})

describe("a request that the gateway converts although its provider has the format", () => {
  it("keeps what the provider can read", async () => {
    const ephemeral = { type: "ephemeral" as const }
    const body = {
      ...params("captain"),
      cache_control: ephemeral,
      system: [{ type: "text" as const, text: "Be brief.", cache_control: ephemeral }],
      tools: [{ ...weather, cache_control: ephemeral }],
      tool_choice: { type: "auto" as const, disable_parallel_tool_use: true },
      stop_sequences: ["END"],
      top_k: 5,
      metadata: { user_id: "ada".repeat(30) },
      messages: [
        { role: "user" as const, content: "Look" },
        {
          role: "assistant" as const,
          content: [
            {
              ...{ type: "tool_use" as const, id: "toolu_9", name: "weather" },
              ...{ input: { city: "Lima" }, cache_control: ephemeral },
            },
          ],
        },
        {
          role: "user" as const,
          content: [
            {
              ...{ type: "tool_result" as const, tool_use_id: "toolu_9", is_error: true },
              ...{ content: "No.", cache_control: ephemeral },
            },
          ],
        },
      ],
    }
    const { response } = await testbed.client.messages.create(body).withResponse()
    expect(response.headers.get("x-portico-dropped")).toBeNull()
    const [, calling, returning] = body.messages
    expect(testbed.anthropic.lastBody()).toEqual({
      ...body,
      model: claudeModel,
      stream: false,
      system: [{ type: "text", text: "You are a captain." }, ...body.system],
      messages: [
        { role: "user", content: [{ type: "text", text: "Look" }] },
        calling,
        {
          role: "user",
          content: [{ ...Object(returning?.content[0]), content: [{ type: "text", text: "No." }] }],
        },
      ],
    })
  })
})

describe("reasoning without a signature sent to a model of Anthropic", () => {
  it("is left out of a converted request, and named", async () => {
    const messages: MessageParam[] = [
      ...hello,
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "" },
          { type: "text", text: "Yes." },
        ],
      },
      { role: "user", content: "And now?" },
    ]
    const { response } = await testbed.client.messages
      .create(params("captain", messages))
      .withResponse()
    expect(response.headers.get("x-portico-dropped")).toBe("thinking")
    const [, turn] = testbed.anthropic.lastBody().messages
    expect(turn?.content).toEqual([{ type: "text", text: "Yes." }])
  })
})

describe("signed reasoning sent to a model of another provider", () => {
  it("is left out, and named", async () => {
    const messages: MessageParam[] = [
      ...hello,
      { role: "assistant", content: [answer[0], answer[3]] as MessageParam["content"] },
      { role: "user", content: "And now?" },
    ] as MessageParam[]
    const { response } = await testbed.client.messages
      .create({ model: chatModel, max_tokens: 100, messages })
      .withResponse()
    expect(response.headers.get("x-portico-dropped")).toBe("thinking")
    expect(testbed.lastChatBody().messages).toEqual([
      { role: "user", content: "Hello from Anthropic's SDK" },
      { role: "assistant", content: "I will look." },
      { role: "user", content: "And now?" },
    ])
  })
})

describe("reasoning effort for a model of OpenAI, whose list has no capabilities", () => {
  const body = { model: "gpt-5-fake", messages: hello, max_tokens: 4000 }
  const enabled = { type: "enabled", budget_tokens: 2000 }

  const listed = { ...createOpenAIModel("marco-o1-fake"), capabilities: { completion: true } }

  beforeAll(() => void testbed.openai.models.push(createOpenAIModel(body.model), listed))

  it.each([
    ["low", { thinking: enabled }],
    ["high", { output_config: { effort: "high" } }],
  ])("is %s: %j", async (effort, fields) => {
    const { status, headers } = await testbed.send({ ...body, ...fields })
    expect(status).toBe(200)
    expect(headers.get("x-portico-dropped")).toBeNull()
    expect(testbed.lastChatBody().reasoning_effort).toBe(effort)
  })

  it("is left out if a list with capabilities does not name it", async () => {
    const { headers } = await testbed.send({ ...body, model: listed.id, thinking: enabled })
    expect(headers.get("x-portico-dropped")).toBe("thinking")
  })

  it("is not asked for if reasoning is off, which the model may reject", async () => {
    const { status, headers } = await testbed.send({ ...body, thinking: { type: "disabled" } })
    expect(status).toBe(200)
    expect(headers.get("x-portico-dropped")).toBeNull()
    expect(testbed.lastChatBody()).not.toHaveProperty("reasoning_effort")
  })
})
