import type { ContentBlockParam, MessageParam, ToolUseBlock } from "@anthropic-ai/sdk/resources"
import { describe, expect, it } from "vitest"
import {
  chatModel,
  claudeModel,
  hello,
  image,
  requestTo,
  testbed,
  useMessagesTestbed,
  weather,
} from "./messages-testbed.ts"

useMessagesTestbed()

const withTools = { ...requestTo(chatModel), tools: [weather] }

const isToolUse = ({ type }: { type: string }): boolean => type === "tool_use"

const callOf = (id: string, name: string, args: string) => ({
  id,
  type: "function",
  function: { name, arguments: args },
})

describe("tool calls of a chat model", () => {
  it("are declared and chosen under its own names", async () => {
    const send = async (tool_choice: object) => {
      await testbed.send({ ...withTools, tool_choice })
      return testbed.lastChatBody()
    }
    expect(await send({ type: "auto" })).toMatchObject({
      tools: [
        {
          type: "function",
          function: {
            name: "weather",
            description: weather.description,
            parameters: weather.input_schema,
          },
        },
      ],
      tool_choice: "auto",
    })
    expect(await send({ type: "any" })).toMatchObject({ tool_choice: "required" })
    expect(await send({ type: "none" })).toMatchObject({ tool_choice: "none" })
    expect(
      await send({ type: "tool", name: "weather", disable_parallel_tool_use: true }),
    ).toMatchObject({
      tool_choice: { type: "function", function: { name: "weather" } },
      parallel_tool_calls: false,
    })
  })

  it("make a round trip, whole and streamed", async () => {
    const whole = await testbed.client.messages.create(withTools)
    const streamed = await testbed.client.messages.stream(withTools).finalMessage()
    expect(streamed.content).toEqual(whole.content)
    expect(streamed.stop_reason).toBe("tool_use")
    expect(whole.stop_reason).toBe("tool_use")
    const [use] = whole.content.filter(isToolUse) as ToolUseBlock[]
    expect(use).toMatchObject({ name: "weather", input: { city: "Hello from Anthropic's SDK" } })
    const answer = await testbed.client.messages.create({
      ...withTools,
      messages: [
        ...withTools.messages,
        { role: "assistant", content: whole.content },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: use?.id ?? "", content: "Sunny." }],
        },
      ],
    })
    expect(answer.content).toMatchObject([{ type: "text", text: "The tool said: Sunny." }])
    const { messages } = testbed.lastChatBody()
    expect(messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: null, tool_calls: [{ id: use?.id, type: "function" }] },
      { role: "tool", tool_call_id: use?.id, content: "Sunny." },
    ])
  })

  it("have the client's names, although OpenAI accepts only 64 characters", async () => {
    const names = ["a", "b"].map((last) => `mcp__server__${"x".repeat(100)}_${last}`)
    const tools = names.map((name) => ({ ...weather, name }))
    const params = {
      ...{ ...requestTo(chatModel), tools },
      tool_choice: { type: "tool" as const, name: names[0] ?? "" },
    }
    const whole = await testbed.client.messages.create(params)
    const streamed = await testbed.client.messages.stream(params).finalMessage()
    for (const { content } of [whole, streamed]) {
      expect(content.filter(isToolUse)).toMatchObject([{ name: names[0] }])
    }
    const messages: MessageParam[] = [...hello, { role: "assistant", content: whole.content }]
    await testbed.send({ ...params, messages })
    const sent = testbed.lastChatBody()
    const [first, second] = Object(sent).tools.map(({ function: { name } }: never) => name)
    expect(first).toMatch(/^mcp__server__x+_[0-9a-f]{8}$/)
    expect(first).toHaveLength(64)
    expect(second).not.toBe(first)
    expect(sent).toMatchObject({
      tool_choice: { function: { name: first } },
      messages: [{}, { tool_calls: [{ function: { name: first } }] }],
    })
  })

  it("may be parallel", async () => {
    const calls = [
      callOf("call_1", "weather", '{"city":"Lima"}'),
      callOf("call_2", "weather", '{"city":"Oslo"}'),
      callOf("call_3", "now", ""),
    ]
    const expected = [
      { type: "text", text: "I will look." },
      { type: "tool_use", id: "call_1", name: "weather", input: { city: "Lima" } },
      { type: "tool_use", id: "call_2", name: "weather", input: { city: "Oslo" } },
      { type: "tool_use", id: "call_3", name: "now", input: {} },
    ]
    testbed.answerWith({ content: "I will look.", tool_calls: calls }, "tool_calls")
    const whole = await testbed.client.messages.create(withTools)
    expect(whole.content).toMatchObject(expected)

    testbed.streamDeltas(
      [
        { content: "I will " },
        { content: "look." },
        ...calls.map(({ id, function: { name } }, index) => ({
          tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }],
        })),
        { tool_calls: [{ index: 1, function: { arguments: '{"city":' } }] },
        { tool_calls: [{ index: 0, function: { arguments: '{"city":"Li' } }] },
        { tool_calls: [{ index: 1, function: { arguments: '"Oslo"}' } }] },
        { tool_calls: [{ index: 0, function: { arguments: 'ma"}' } }] },
      ],
      "tool_calls",
    )
    const streamed = await testbed.client.messages.stream(withTools).finalMessage()
    expect(streamed.content).toMatchObject(expected)
    expect(streamed.stop_reason).toBe("tool_use")
  })

  it("return several results, errors and images", async () => {
    const picture: ContentBlockParam = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: image },
    }
    const messages: MessageParam[] = [
      { role: "user", content: "Look" },
      {
        role: "assistant",
        content: ["1", "2", "3"].map((id) => ({
          ...{ type: "tool_use", id, name: "weather", input: { city: id } },
        })) as ContentBlockParam[],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "1", content: "Sunny." },
          { type: "tool_result", tool_use_id: "2", is_error: true, content: "No such city." },
          { type: "tool_result", tool_use_id: "3", content: [picture] },
          { type: "text", text: "Go on." },
        ],
      },
    ]
    const { response } = await testbed.client.messages
      .create({ ...withTools, messages })
      .withResponse()
    const body = testbed.lastChatBody()
    expect(body.messages).toMatchObject([
      { role: "user", content: "Look" },
      { role: "assistant", tool_calls: [{ id: "1" }, { id: "2" }, { id: "3" }] },
      { role: "tool", tool_call_id: "1", content: "Sunny." },
      { role: "tool", tool_call_id: "2", content: "No such city." },
      { role: "tool", tool_call_id: "3", content: "The result follows in the next message." },
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } },
          { type: "text", text: "Go on." },
        ],
      },
    ])
    expect(JSON.stringify(body)).not.toContain("is_error")
    expect(response.headers.get("x-portico-dropped")).toBe("is_error")
  })

  it("are run by the SDK's tool runner", async () => {
    const cities: string[] = []
    const runner = testbed.client.beta.messages.toolRunner({
      ...{ ...requestTo(chatModel), stream: true },
      tools: [
        {
          ...{ type: "custom", name: "weather", input_schema: weather.input_schema },
          parse: (input: unknown) => input as { city: string },
          run: ({ city }: { city: string }) => {
            cities.push(city)
            return "Sunny."
          },
        },
      ],
    })
    const message = await runner.runUntilDone()
    expect(cities).toEqual(["Hello from Anthropic's SDK"])
    expect(message.content).toMatchObject([{ type: "text", text: "The tool said: Sunny." }])
  })

  it("whose arguments are no JSON object are an error of the provider", async () => {
    testbed.answerWith({ content: null, tool_calls: [callOf("1", "weather", "{oops")] })
    const failed = testbed.client.messages.create(withTools)
    await expect(failed).rejects.toMatchObject({ status: 502, error: { type: "error" } })
  })
})

describe("tool calls of a model of Anthropic", () => {
  it("arrive whole and streamed", async () => {
    testbed.anthropic.reply = "tools"
    const params = { ...withTools, model: claudeModel }
    const expected = [
      { type: "text", text: "I will look." },
      { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Lima", days: [1, 2] } },
      { type: "tool_use", id: "toolu_2", name: "now", input: {} },
    ]
    const whole = await testbed.client.messages.create(params)
    expect(whole).toMatchObject({ content: expected, stop_reason: "tool_use" })
    const streamed = await testbed.client.messages.stream(params).finalMessage()
    expect(streamed).toMatchObject({ content: expected, stop_reason: "tool_use" })
  })
})
