import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startAnthropicTestbed } from "./anthropic-testbed.ts"

let testbed: Awaited<ReturnType<typeof startAnthropicTestbed>>

beforeAll(async () => {
  testbed = await startAnthropicTestbed()
})
afterAll(async () => {
  await testbed.gateway.stop()
  await testbed.upstream.close()
})

const ephemeral = { cache_control: { type: "ephemeral" } }
const user = { role: "user", content: "q" }

const chat = (body: object) => testbed.chat(body)
const respond = (body: object) => testbed.respond(body)

describe("marks for Anthropic's prompt cache", () => {
  const call = { id: "1", type: "function", function: { name: "f", arguments: "{}" } }

  it.each<[string, object, object]>([
    [
      "a system message",
      { messages: [{ role: "system", content: "long", ...ephemeral }, user] },
      { system: [{ text: "long", ...ephemeral }] },
    ],
    [
      "a message of the user",
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "a" },
              { type: "text", text: "b" },
            ],
            ...ephemeral,
          },
        ],
      },
      {
        messages: [
          {
            content: [
              { type: "text", text: "a" },
              { text: "b", ...ephemeral },
            ],
          },
        ],
      },
    ],
    [
      "a message of the assistant",
      { messages: [user, { role: "assistant", content: "a", ...ephemeral }, user] },
      { messages: [{}, { content: [{ text: "a", ...ephemeral }] }, {}] },
    ],
    [
      "calls and results of tools",
      {
        messages: [
          user,
          { role: "assistant", tool_calls: [call], ...ephemeral },
          { role: "tool", tool_call_id: "1", content: "x", ...ephemeral },
        ],
      },
      {
        messages: [{}, { content: [{ type: "tool_use", ...ephemeral }] }, { content: [ephemeral] }],
      },
    ],
    [
      "a function",
      { tools: [{ type: "function", function: { name: "f", ...ephemeral } }] },
      { tools: [{ name: "f", ...ephemeral }] },
    ],
  ])("are kept on %s", async (_where, body, expected) => {
    const { sent, dropped } = await chat(body)
    expect(sent).toMatchObject(expected)
    expect(dropped).toBeNull()
  })

  it.each<[string, object, object]>([
    [
      "a part",
      { input: [{ role: "user", content: [{ type: "input_text", text: "big", ...ephemeral }] }] },
      { messages: [{ content: [{ text: "big", ...ephemeral }] }] },
    ],
    [
      "a message of the developer",
      { input: [{ role: "developer", content: "big", ...ephemeral }, user] },
      { system: [{ text: "big", ...ephemeral }] },
    ],
    [
      "an answer",
      {
        input: [
          user,
          { role: "assistant", content: [{ type: "output_text", text: "a", ...ephemeral }] },
          user,
        ],
      },
      { messages: [{}, { content: [{ text: "a", ...ephemeral }] }, {}] },
    ],
    [
      "calls and results of tools",
      {
        input: [
          user,
          { type: "function_call", call_id: "1", name: "f", arguments: "{}", ...ephemeral },
          { type: "function_call_output", call_id: "1", output: "x", ...ephemeral },
        ],
      },
      { messages: [{}, { content: [ephemeral] }, { content: [ephemeral] }] },
    ],
    [
      "a tool",
      { tools: [{ type: "function", name: "f", parameters: null, ...ephemeral }] },
      { tools: [{ name: "f", ...ephemeral }] },
    ],
    ["the request", ephemeral, ephemeral],
  ])("of a response's request are kept on %s", async (_where, body, expected) => {
    const { sent, dropped } = await respond(body)
    expect(sent).toMatchObject(expected)
    expect(dropped).toBeNull()
  })

  it("beyond four are left out and named", async () => {
    const marked = (text: string) => ({ type: "text", text, ...ephemeral })
    const content = ["a", "b", "c", "d", "e"].map(marked)
    const messages = [
      { role: "system", content: [marked("s")] },
      { role: "user", content },
    ]
    const countMarks = (value: unknown) => JSON.stringify(value).split("ephemeral").length - 1
    const { sent, dropped } = await chat({ messages })
    expect(dropped).toBe("cache_control")
    expect(sent?.system).toEqual([marked("s")])
    expect(sent?.messages).toEqual([
      {
        role: "user",
        content: [
          ...["a", "b"].map((text) => ({ type: "text", text })),
          ...["c", "d", "e"].map(marked),
        ],
      },
    ])
    const whole = await chat({
      messages: [...messages, { role: "user", content: "q" }],
      ...ephemeral,
    })
    expect(countMarks(whole.sent)).toBe(4)
    expect(whole.sent).toMatchObject(ephemeral)
  })
})
