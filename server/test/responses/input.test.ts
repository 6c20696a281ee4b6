import type OpenAI from "openai"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { claudeModel, image } from "../messages/messages-testbed.ts"
import { chatModel, type ResponsesTestbed, startResponsesTestbed } from "./responses-testbed.ts"

let testbed: ResponsesTestbed

beforeAll(async () => {
  testbed = await startResponsesTestbed()
})
afterEach(() => testbed.reset())
afterAll(() => testbed.stop())

const ask = (
  model: string,
  input: OpenAI.Responses.ResponseInput,
  fields: Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming> = {},
) => testbed.client.responses.create({ model, input, ...fields })

const imageUrl = `data:image/png;base64,${image}`
const pdf = "data:application/pdf;base64,JVBERi0="

describe("a request through the Responses API", () => {
  it("carries instructions, and system and developer messages anywhere", async () => {
    const input: OpenAI.Responses.ResponseInput = [
      { role: "developer", content: "Be kind." },
      { role: "user", content: "One" },
      { type: "message", role: "assistant", content: "Two" },
      { role: "user", content: [{ type: "input_text", text: "Three" }] },
      { role: "system", content: "Be quick." },
    ]
    await ask(chatModel, input, { instructions: "Be brief." })
    expect(testbed.lastChatBody().messages).toEqual([
      { role: "system", content: "Be brief.\n\nBe kind." },
      { role: "user", content: "One" },
      { role: "assistant", content: "Two" },
      { role: "user", content: "Three\n\nBe quick." },
    ])
    await ask(claudeModel, input, { instructions: "Be brief." })
    expect(testbed.lastClaudeBody()).toMatchObject({
      system: [
        { type: "text", text: "Be brief." },
        { type: "text", text: "Be kind." },
        { type: "text", text: "Be quick." },
      ],
      messages: [
        { role: "user", content: [{ text: "One" }] },
        { role: "assistant", content: [{ text: "Two" }] },
        { role: "user", content: [{ text: "Three" }] },
      ],
    })
  })

  it("carries the text of an assistant's message as one, whatever its parts", async () => {
    const content = ["The sky ", "is ", "blue."].map((text) => ({ type: "output_text", text }))
    const refusal = { type: "refusal", refusal: "I cannot say why." }
    const input = [
      { role: "user", content: "Why is the sky blue?" },
      { role: "assistant", content },
      { role: "assistant", content: [refusal] },
      { role: "user", content: "Thanks" },
    ]
    await testbed.send({ model: chatModel, input })
    expect(testbed.lastChatBody().messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "The sky is blue.\n\nI cannot say why." },
      { role: "user" },
    ])
  })

  it("carries images", async () => {
    const input: OpenAI.Responses.ResponseInput = [
      {
        role: "user",
        content: [
          { type: "input_text", text: "What is this?" },
          { type: "input_image", image_url: imageUrl, detail: "auto" },
          { type: "input_image", image_url: "https://example.com/a.png", detail: "low" },
        ],
      },
    ]
    const response = await ask(chatModel, input)
    expect(response.output_text).toBe("I see 2 images. You said: What is this?")
    expect(testbed.lastChatBody().messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: imageUrl } },
          { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
        ],
      },
    ])
    await ask(claudeModel, input)
    expect(testbed.lastClaudeBody().messages).toMatchObject([
      {
        content: [
          { type: "text" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
          { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
        ],
      },
    ])
  })

  it("carries PDF documents", async () => {
    const part = { type: "input_file" as const, filename: "bees.pdf", file_data: pdf }
    const input = [{ role: "user" as const, content: [part] }]
    await ask(chatModel, input)
    expect(testbed.lastChatBody().messages).toEqual([
      { role: "user", content: [{ type: "file", file: { filename: "bees.pdf", file_data: pdf } }] },
    ])
    await ask(claudeModel, input)
    expect(testbed.lastClaudeBody().messages).toMatchObject([
      {
        content: [
          {
            ...{ type: "document", title: "bees.pdf" },
            source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
          },
        ],
      },
    ])
  })

  it("carries parameters under the provider's names", async () => {
    await ask(chatModel, [{ role: "user", content: "Hi" }], {
      ...{ temperature: 0.5, top_p: 0.9, max_output_tokens: 7, safety_identifier: null },
      ...{ truncation: "disabled", service_tier: "auto", include: [], metadata: { a: "b" } },
      ...{ stream_options: null, parallel_tool_calls: true, tool_choice: "auto", tools: [] },
    })
    expect(testbed.lastChatBody()).toEqual({
      ...{ model: chatModel, messages: [{ role: "user", content: "Hi" }] },
      ...{ temperature: 0.5, top_p: 0.9, max_tokens: 7, stream: false },
    })
  })

  it.each([
    ["input", 5],
    ["input", {}],
    ["input", []],
    ["input", ["Hi"]],
    ["input", [{ content: "Hi" }]],
    ["input", [{ role: "robot", content: "Hi" }]],
    ["input", [{ role: "user", content: { type: "input_text", text: "Hi" } }]],
    ["input", [{ role: "user", content: ["Hi"] }]],
    ["input", [{ type: "function_call", name: "a", arguments: "{}" }]],
    ["input", [{ type: "function_call_output", call_id: "1", output: 5 }]],
    ["instructions", ["Be brief."]],
    ["tools", { type: "function", name: "a" }],
    ["tools", [{ name: "a" }]],
    ["tools", [{ type: "function", function: { name: "a" } }]],
  ])("is rejected if its form is wrong: %s %j", async (param, value) => {
    const { status, text } = await testbed.send({
      ...{ model: chatModel, input: "Hi", [param]: value },
    })
    expect(status).toBe(400)
    expect(JSON.parse(text)).toMatchObject({
      error: { type: "invalid_request_error", param, code: "bad_request" },
    })
  })

  it("is rejected without input, unless it continues a response", async () => {
    const missing = await testbed.send({ model: chatModel })
    expect(missing.status).toBe(400)
    const { id } = await testbed.client.responses.create({ model: chatModel, input: "Hi" })
    await testbed.client.responses.create({ model: chatModel, previous_response_id: id })
    expect(testbed.lastChatBody().messages).toMatchObject([{ role: "user" }, { role: "assistant" }])
  })

  it("has no empty message in place of reasoning that only OpenAI can read", async () => {
    const reasoning = { type: "reasoning", summary: [], encrypted_content: "gAAA" }
    const user = { role: "user", content: "Hi" }
    await testbed.send({ model: chatModel, input: [user, reasoning, user] })
    expect(testbed.lastChatBody().messages).toEqual([user, user])
  })

  it.each(["reasoning", "text"])("is refused if %s is not an object", async (name) => {
    for (const model of [chatModel, claudeModel]) {
      const { status, text } = await testbed.send({ model, input: "Hi", [name]: "high" })
      expect(status).toBe(400)
      expect(JSON.parse(text).error).toMatchObject({
        ...{ code: "bad_request", param: name, message: `"${name}" must be an object.` },
      })
    }
  })
})
