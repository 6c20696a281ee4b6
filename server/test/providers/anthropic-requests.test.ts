import type OpenAI from "openai"
import { BadRequestError } from "openai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { FakeAnthropic } from "../fakes/anthropic.ts"
import type { TestGateway } from "../harness/gateway.ts"
import { messages, model, startAnthropicTestbed, weather } from "./anthropic-testbed.ts"

let upstream: FakeAnthropic
let gateway: TestGateway
let client: OpenAI

beforeAll(async () => {
  const testbed = await startAnthropicTestbed()
  upstream = testbed.upstream
  gateway = testbed.gateway
  client = testbed.client
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

describe("a request to Anthropic", () => {
  it("carries prompts, images, documents, tool calls, and their results", async () => {
    const image = "data:image/png;base64,iVBORw0KGgo="
    await client.chat.completions.create({
      model,
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: image } },
            { type: "image_url", image_url: { url: "https://example.com/cat.png" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0=" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: "a",
              type: "function",
              function: { name: "weather", arguments: '{"city":"Lima"}' },
            },
            { id: "b", type: "function", function: { name: "weather", arguments: "" } },
          ],
        },
        { role: "tool", tool_call_id: "a", content: "Sunny" },
        { role: "tool", tool_call_id: "b", content: "Rain" },
        { role: "user", content: "And?" },
      ],
      tools: [weather],
      tool_choice: "required",
      parallel_tool_calls: false,
      max_completion_tokens: 500,
      temperature: 1.5,
      stop: "END",
      reasoning_effort: "low",
      user: "ada",
    })
    expect(upstream.lastBody()).toEqual({
      model,
      max_tokens: 500,
      system: [{ type: "text", text: "Be brief." }],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
            },
            { type: "image", source: { type: "url", url: "https://example.com/cat.png" } },
            {
              type: "document",
              source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
            },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "a", name: "weather", input: { city: "Lima" } },
            { type: "tool_use", id: "b", name: "weather", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "a",
              content: [{ type: "text", text: "Sunny" }],
            },
            { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "Rain" }] },
            { type: "text", text: "And?" },
          ],
        },
      ],
      tools: [{ name: "weather", input_schema: { type: "object", properties: {} } }],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
      output_config: { effort: "low" },
      temperature: 1,
      stop_sequences: ["END"],
      metadata: { user_id: "ada" },
      stream: false,
    })
  })

  it("allows the model's own maximum of tokens by default, and carries a schema", async () => {
    const schema = { type: "object", properties: { city: { type: "string" } } }
    await client.chat.completions.create({
      model,
      messages,
      response_format: { type: "json_schema", json_schema: { name: "place", schema } },
    })
    expect(upstream.lastBody()).toMatchObject({
      max_tokens: 64_000,
      output_config: { format: { type: "json_schema", schema } },
    })
  })

  it("is refused if the provider cannot fulfill it", async () => {
    const { length } = upstream.requests
    const audio = {
      type: "input_audio" as const,
      input_audio: { data: "", format: "mp3" as const },
    }
    const refused = [
      () =>
        client.chat.completions.create({ model, messages: [{ role: "user", content: [audio] }] }),
      () => client.chat.completions.create({ model, messages, n: 2 }),
      () => client.embeddings.create({ model, input: "Hello" }),
      () => client.completions.create({ model, prompt: "Hello" }),
    ]
    for (const send of refused) await expect(send()).rejects.toThrow(BadRequestError)
    expect(upstream.requests.length).toBe(length)
  })
})
