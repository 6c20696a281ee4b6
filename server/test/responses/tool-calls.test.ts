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

type Input = OpenAI.Responses.ResponseInput
type Tool = OpenAI.Responses.Tool

const parameters = {
  ...{ type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  additionalProperties: false,
}
const weather = {
  ...{ type: "function" as const, name: "weather", description: "Looks up the weather." },
  ...{ parameters, strict: true },
}
const now: Tool = { type: "function", name: "now", parameters: { type: "object" }, strict: false }
const patch: Tool = {
  ...{ type: "custom", name: "apply_patch", description: "Edits files." },
  format: { type: "grammar", syntax: "lark", definition: 'start: "a"' },
}
const agents = {
  ...{ type: "namespace", name: "agents", description: "Agents." },
  tools: [weather, { ...now, name: "close" }],
} as unknown as Tool

const callOf = (id: string, name: string, args: string) => ({
  ...{ id, type: "function", function: { name, arguments: args } },
})
const deltaOf = (index: number, id: string | undefined, fields: Record<string, string>) => ({
  tool_calls: [{ index, ...(id !== undefined && { id }), function: fields }],
})

/** The tools as a model gets them. */
const sentTools = async (model: string, tools: Tool[], tool_choice?: unknown) => {
  const { status } = await testbed.send({
    ...{ model, input: "Hi", tools, ...(tool_choice !== undefined && { tool_choice }) },
  })
  expect(status).toBe(200)
  return model === chatModel ? testbed.lastChatBody() : testbed.lastClaudeBody()
}

describe("tools", () => {
  it("are declared and chosen under the provider's names", async () => {
    const { type: _type, ...declared } = weather
    expect(await sentTools(chatModel, [weather], "auto")).toMatchObject({
      tools: [{ type: "function", function: declared }],
      tool_choice: "auto",
    })
    const named = { type: "function", name: "weather" }
    expect(await sentTools(chatModel, [weather, now], named)).toMatchObject({
      tool_choice: { type: "function", function: { name: "weather" } },
    })
    expect(await sentTools(chatModel, [weather], "required")).toMatchObject({
      tool_choice: "required",
    })
    expect(await sentTools(chatModel, [weather], "none")).toMatchObject({ tool_choice: "none" })
    const allowed = { type: "allowed_tools", mode: "required", tools: [named] }
    const { tools, tool_choice } = await sentTools(chatModel, [weather, now], allowed)
    expect([tools, tool_choice]).toMatchObject([[{ function: { name: "weather" } }], "required"])
    const { description } = weather
    expect(await sentTools(claudeModel, [weather], named)).toMatchObject({
      tools: [{ name: "weather", description, input_schema: parameters }],
      tool_choice: { type: "tool", name: "weather" },
    })
  })

  it.each(["chat", "Claude"])("make a round trip: %s", async (which) => {
    const model = which === "chat" ? chatModel : claudeModel
    testbed.anthropic.reply = "tools"
    const params = { model, input: "Lima", tools: [weather, now], parallel_tool_calls: true }
    const { whole, streamed } = await testbed.askBoth({ ...params, store: false })
    const calls = whole.output.filter((item) => item.type === "function_call")
    expect(calls).toMatchObject([
      {
        ...{ name: "weather", status: "completed", id: expect.stringMatching(/^fc_/) },
        arguments: which === "chat" ? '{"city":"Lima"}' : '{"city":"Lima","days":[1,2]}',
      },
      { name: "now", arguments: "{}", call_id: expect.any(String) },
    ])
    const withoutIds = whole.output.map((item) => ({ ...item, id: expect.any(String) }))
    expect(streamed.output).toMatchObject(withoutIds)

    testbed.anthropic.reply = "text"
    const outputs = calls.toReversed().map(({ call_id, name }) => ({
      ...{ type: "function_call_output" as const, call_id, output: `${name} is sunny.` },
    }))
    const input = [{ role: "user", content: "Lima" }, ...whole.output, ...outputs] as Input
    const answer = await testbed.client.responses.create({ ...params, input })
    expect(answer.status).toBe("completed")
    if (which === "chat") {
      expect(answer.output_text).toBe("The tool said: weather is sunny.")
      expect(testbed.lastChatBody().messages).toMatchObject([
        { role: "user" },
        {
          ...{ role: "assistant", content: null },
          tool_calls: calls.map((call) => callOf(call.call_id, call.name, call.arguments)),
        },
        { role: "tool", tool_call_id: calls[1]?.call_id, content: "now is sunny." },
        { role: "tool", tool_call_id: calls[0]?.call_id, content: "weather is sunny." },
      ])
      return
    }
    const [, calling, results] = testbed.lastClaudeBody().messages as object[]
    expect(calling).toMatchObject({
      content: [
        { type: "text", text: "I will look." },
        { type: "tool_use", id: "toolu_1", input: { city: "Lima", days: [1, 2] } },
        { type: "tool_use", id: "toolu_2", name: "now", input: {} },
      ],
    })
    expect(results).toMatchObject({
      content: [
        { type: "tool_result", tool_use_id: "toolu_2", content: [{ text: "now is sunny." }] },
        { type: "tool_result", tool_use_id: "toolu_1", content: [{ text: "weather is sunny." }] },
      ],
    })
  })

  it("may return images and files", async () => {
    const url = `data:image/png;base64,${image}`
    const input: Input = [
      { role: "user", content: "Look" },
      { type: "function_call", call_id: "1", name: "see", arguments: "{}" },
      { type: "function_call", call_id: "2", name: "read", arguments: "{}" },
      {
        ...{ type: "function_call_output", call_id: "1" },
        output: [
          { type: "input_text" as const, text: "A bee." },
          { type: "input_image" as const, image_url: url, detail: "auto" as const },
        ],
      },
      { type: "function_call_output", call_id: "2", output: "Text." },
      { role: "user", content: "Go on" },
    ]
    await testbed.client.responses.create({ model: chatModel, input })
    expect(testbed.lastChatBody().messages).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      { role: "tool", tool_call_id: "1", content: "A bee." },
      { role: "tool", tool_call_id: "2", content: "Text." },
      { role: "user", content: [{ type: "image_url", image_url: { url } }] },
      { role: "user", content: "Go on" },
    ])
    await testbed.client.responses.create({ model: claudeModel, input })
    expect(JSON.stringify(testbed.lastClaudeBody())).toContain(image)
  })

  it("are answered directly, whatever the client adds in between", async () => {
    const input: Input = [
      { role: "user", content: "Look" },
      { type: "function_call", call_id: "1", name: "see", arguments: "{}" },
      { role: "developer", content: "The user is in a hurry." },
      { type: "function_call_output", call_id: "1", output: "A bee." },
      { role: "user", content: "Go on" },
    ]
    await testbed.client.responses.create({ model: chatModel, input })
    expect(testbed.lastChatBody().messages).toMatchObject([
      { role: "user", content: "Look" },
      { role: "assistant", tool_calls: [{ id: "1" }] },
      { role: "tool", tool_call_id: "1", content: "A bee." },
      { role: "user", content: "The user is in a hurry." },
      { role: "user", content: "Go on" },
    ])
  })

  it("whose calls come in pieces of several chunks stay apart", async () => {
    testbed.streamDeltas(
      [
        { content: "I will look." },
        deltaOf(0, "call_1", { name: "weather", arguments: '{"ci' }),
        deltaOf(1, "call_2", { name: "now", arguments: "" }),
        deltaOf(0, undefined, { arguments: 'ty":"Lima"}' }),
      ],
      "tool_calls",
    )
    const stream = testbed.client.responses.stream({
      ...{ model: chatModel, input: "Hi", tools: [weather, now] },
    })
    expect((await stream.finalResponse()).output).toMatchObject([
      { type: "message", content: [{ text: "I will look." }] },
      { type: "function_call", call_id: "call_1", arguments: '{"city":"Lima"}' },
      { type: "function_call", call_id: "call_2", name: "now", arguments: "{}" },
    ])
  })

  it("that are cut off are incomplete", async () => {
    testbed.answerWith({ tool_calls: [callOf("1", "weather", '{"ci')] }, "length")
    testbed.streamDeltas([deltaOf(0, "1", { name: "weather", arguments: '{"ci' })], "length")
    const params = { model: chatModel, input: "Hi", tools: [{ ...weather, strict: false }] }
    const { whole, streamed } = await testbed.askBoth(params)
    for (const { status, output } of [whole, streamed]) {
      const item = { type: "function_call", status: "incomplete", arguments: '{"ci' }
      expect([status, output]).toMatchObject(["incomplete", [item]])
    }
  })
})

describe("custom tools", () => {
  it("become functions with a text as their input, and back", async () => {
    expect(await sentTools(chatModel, [patch])).toMatchObject({
      tools: [
        {
          type: "function",
          function: {
            name: "apply_patch",
            description: expect.stringMatching(/Edits files\..*grammar.*lark.*start: "a"/s),
            parameters: { type: "object", required: ["input"] },
          },
        },
      ],
    })
    const args = JSON.stringify({ input: '*** "Begin"\nä' })
    testbed.answerWith({ tool_calls: [callOf("1", "apply_patch", args)] }, "tool_calls")
    testbed.streamDeltas(
      [
        deltaOf(0, "1", { name: "apply_patch", arguments: args.slice(0, 9) }),
        deltaOf(0, undefined, { arguments: args.slice(9) }),
      ],
      "tool_calls",
    )
    const params = { model: chatModel, input: "Hi", tools: [patch] }
    const { whole, streamed } = await testbed.askBoth(params)
    for (const { output } of [whole, streamed]) {
      expect(output).toEqual([
        {
          ...{ type: "custom_tool_call", status: "completed", call_id: "1", name: "apply_patch" },
          ...{ id: expect.stringMatching(/^ctc_/), input: '*** "Begin"\nä' },
        },
      ])
    }
    const result = { type: "custom_tool_call_output" as const, call_id: "1", output: "Done." }
    const input: Input = [{ role: "user", content: "Hi" }, ...(whole.output as Input), result]
    await testbed.client.responses.create({ ...params, input })
    expect(testbed.lastChatBody().messages).toMatchObject([
      { role: "user" },
      { tool_calls: [callOf("1", "apply_patch", args)] },
      { role: "tool", tool_call_id: "1", content: "Done." },
    ])
  })
})

describe("tools in a namespace", () => {
  it("have it in their names, and are called without it", async () => {
    expect(await sentTools(chatModel, [agents, weather])).toMatchObject({
      tools: [
        { function: { name: "agents__weather" } },
        { function: { name: "agents__close" } },
        { function: { name: "weather" } },
      ],
    })
    const params = { model: chatModel, input: "Lima", tools: [agents], parallel_tool_calls: true }
    const { whole, streamed } = await testbed.askBoth(params)
    for (const { output } of [whole, streamed]) {
      expect(output).toMatchObject([
        { type: "function_call", namespace: "agents", name: "weather" },
        { type: "function_call", namespace: "agents", name: "close" },
      ])
    }
    const input = [{ role: "user", content: "Lima" }, ...whole.output] as Input
    await testbed.client.responses.create({ ...params, input })
    const [, calling] = testbed.lastChatBody().messages as object[]
    expect(calling).toMatchObject({
      tool_calls: [
        { function: { name: "agents__weather" } },
        { function: { name: "agents__close" } },
      ],
    })
  })

  it("are called without it if the name with it is too long for OpenAI", async () => {
    const long = { ...Object(agents), name: `agents_${"x".repeat(60)}` } as Tool
    const params = { model: chatModel, input: "Lima", tools: [long], parallel_tool_calls: true }
    const { whole, streamed } = await testbed.askBoth(params)
    for (const { output } of [whole, streamed]) {
      expect(output).toMatchObject([{ name: "weather" }, { name: "close" }])
    }
    const { tools } = Object(testbed.lastChatBody())
    expect(tools[0].function.name).toHaveLength(64)
  })
})
