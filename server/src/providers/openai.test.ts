import { describe, expect, it } from "vitest"
import { openai } from "./openai.ts"

const tools = [{ type: "function", function: { name: "weather" } }]
const adapt = (request: object, baseUrl = "https://api.openai.com/v1") => {
  const dropped: string[] = []
  const adapted = openai.adaptChatRequest?.({ ...request }, baseUrl, (name) => dropped.push(name))
  return { adapted, dropped }
}

const proxy = "http://127.0.0.1:4000/v1"
const openRouter = "https://openrouter.ai/api/v1"

describe("a converted request to a model of OpenAI", () => {
  it("has the newer name of the token limit on OpenAI's servers", () => {
    const { adapted } = adapt({ model: "gpt-4o", max_tokens: 5 })
    expect(adapted).toEqual({ model: "gpt-4o", max_completion_tokens: 5 })
  })

  it.each([
    "gpt-5",
    "gpt-5-mini-2025-08-07",
    "azure/gpt-5",
    "azure/prod-gpt-5-mini",
    "openai/o3",
    "GPT-5-Nano",
    "o4-mini",
    "gpt-6",
    "ft:o4-mini-2025-04-16:acme::a1",
    "azure/GPT-5",
  ])("has the newer name of the token limit behind any host: %s", (model) => {
    expect(adapt({ model, max_tokens: 5 }, proxy).adapted).toEqual({
      model,
      max_completion_tokens: 5,
    })
  })

  it.each([
    ...["gpt-4.1", "gpt-4o", "gpt-5-chat-latest", "gpt-oss-120b", "llama3.2", "qwen3-32b", "c1"],
    ...["photo1", "solo3", "chatgpt-4o-latest", "GPT-5-Chat", "llama-o3x", "gpt-35-turbo"],
    ...["ft:gpt-4.1:acme::o3abc", "openai/ft:gpt-4.1-2025-04-14:team-o3::gpt-5"],
  ])("keeps the older name and the temperature for other models: %s", (model) => {
    const request = { model, max_tokens: 5, temperature: 0.2 }
    expect(adapt(request, proxy)).toEqual({ adapted: request, dropped: [] })
  })

  it("leaves out what models reject while they reason, and names what is not the default", () => {
    const request = {
      model: "azure/gpt-5",
      temperature: 0.2,
      top_p: 1,
      presence_penalty: 1,
      stop: "x",
    }
    expect(adapt(request, proxy)).toEqual({
      adapted: { model: "azure/gpt-5" },
      dropped: ["temperature", "presence_penalty", "stop"],
    })
    const silent = { model: "gpt-5.4", temperature: 0.2, reasoning_effort: "none" }
    expect(adapt(silent, proxy)).toEqual({ adapted: silent, dropped: [] })
  })

  it.each([
    ["o3", ["stop", "parallel_tool_calls"]],
    ["openai/o4-mini-2025-04-16", ["stop", "parallel_tool_calls"]],
    ["o3-mini", ["parallel_tool_calls"]],
    ["o1", ["parallel_tool_calls"]],
    ["gpt-5.2", ["stop"]],
    ["gpt-5.5", []],
    ["gpt-4.1", []],
  ])("names stop sequences and limits of parallel calls that %s rejects", (model, dropped) => {
    const request = { model, stop: ["x"], parallel_tool_calls: false }
    const kept = Object.entries(request).filter(([name]) => !dropped.includes(name))
    expect(adapt(request, proxy)).toEqual({ adapted: Object.fromEntries(kept), dropped })
    const usual = adapt({ model, parallel_tool_calls: true }, proxy)
    expect(usual.dropped).toEqual([])
  })

  it.each(["gpt-5.5", "gpt-5.6-terra", "openai/gpt-6"])(
    "turns off the reasoning of %s if it has tools",
    (model) => {
      for (const host of [undefined, proxy]) {
        expect(adapt({ model, tools }, host).adapted).toEqual({
          ...{ model, tools, reasoning_effort: "none" },
        })
      }
    },
  )

  it.each([
    { model: "gpt-5.6", tools: [] },
    { model: "gpt-5.6", reasoning_effort: "low" },
    { model: "gpt-5.4", tools },
    { model: "gpt-4o", tools },
  ])("is otherwise unchanged: %j", (request) => {
    expect(adapt(request).adapted).toEqual(request)
  })

  it("is unchanged for a service that adapts requests itself", () => {
    const request = { model: "openai/gpt-5.6", tools, max_tokens: 5, temperature: 0.2 }
    expect(adapt(request, openRouter)).toEqual({ adapted: request, dropped: [] })
  })

  it("has the reasoning of earlier answers as parts for Mistral", () => {
    const call = { id: "1", type: "function", function: { name: "f", arguments: "{}" } }
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Ok.", reasoning_content: "Hm.", tool_calls: [call] },
    ]
    const thinking = { type: "thinking", thinking: [{ type: "text", text: "Hm." }] }
    const content = [thinking, { type: "text", text: "Ok." }]
    const request = { model: "magistral", max_tokens: 5, messages }
    expect(adapt(request, "https://api.mistral.ai/v1").adapted).toEqual({
      ...request,
      messages: [messages[0], { role: "assistant", content, tool_calls: [call] }],
    })
  })
})
