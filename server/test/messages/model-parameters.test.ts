import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createOpenAIModel } from "../fakes/openai.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { hello, type MessagesTestbed, startMessagesTestbed, weather } from "./messages-testbed.ts"

let testbed: MessagesTestbed

const models = [
  ...["gpt-5-mini", "azure/gpt-5", "o3", "gpt-5.4", "gpt-5.6", "grok-4", "deepseek-v4-pro"],
  ...["qwen3-32b", "gpt-4.1", "ft:gpt-4.1:acme::o3abc"],
]

beforeAll(async () => {
  testbed = await startMessagesTestbed()
  testbed.openai.models.push(...models.map((name) => createOpenAIModel(name)))
  await testbed.gateway.call("POST", "/api/v1/connections/refresh")
  await testbed.send({ model: "gpt-4.1", max_tokens: 10, messages: hello })
  await waitForModels(testbed.gateway, models)
})
afterAll(() => testbed.stop())

const thinking = { type: "enabled", budget_tokens: 16_000 }

const ask = async (model: string, fields: object) => {
  const body = { model, max_tokens: 100, messages: hello, ...fields }
  const { status, headers, text } = await testbed.send(body)
  expect(status, text).toBe(200)
  return { sent: testbed.lastChatBody(), dropped: headers.get("x-portico-dropped") }
}

describe("a request of the Messages API to a chat model", () => {
  it.each(["gpt-5-mini", "azure/gpt-5", "o3", "gpt-5.4", "grok-4", "deepseek-v4-pro", "qwen3-32b"])(
    "asks %s to reason, also with tools",
    async (model) => {
      for (const fields of [{ thinking }, { thinking, tools: [weather] }]) {
        const { sent, dropped } = await ask(model, fields)
        expect([sent.reasoning_effort, dropped]).toEqual(["medium", null])
      }
      const { sent } = await ask(model, { output_config: { effort: "high" }, tools: [weather] })
      expect(sent.reasoning_effort).toBe("high")
    },
  )

  it("names the reasoning that a model does not combine with tools", async () => {
    const { sent, dropped } = await ask("gpt-5.6", { thinking, tools: [weather] })
    expect([sent.reasoning_effort, dropped]).toEqual(["none", "thinking"])
  })

  it.each(["gpt-5-mini", "azure/gpt-5", "o3"])(
    "has the token limit that %s accepts, and names a temperature that it rejects",
    async (model) => {
      const { sent, dropped } = await ask(model, { temperature: 0.2 })
      expect(sent).toMatchObject({ max_completion_tokens: 100 })
      expect(sent).not.toHaveProperty("max_tokens")
      expect(sent).not.toHaveProperty("temperature")
      expect(dropped).toBe("temperature")
    },
  )

  it("names stop sequences and a limit of parallel calls that a model rejects", async () => {
    const tool_choice = { type: "auto", disable_parallel_tool_use: true }
    const fields = { stop_sequences: ["END"], tool_choice, tools: [weather] }
    const { sent, dropped } = await ask("o3", fields)
    expect(sent).not.toHaveProperty("stop")
    expect(sent).not.toHaveProperty("parallel_tool_calls")
    expect(dropped).toBe("parallel_tool_calls, stop")
    expect((await ask("gpt-4.1", fields)).sent).toMatchObject({
      ...{ stop: ["END"], parallel_tool_calls: false },
    })
  })

  it.each(["gpt-4.1", "grok-4", "ft:gpt-4.1:acme::o3abc"])(
    "keeps limit and temperature for %s",
    async (model) => {
      const { sent, dropped } = await ask(model, { temperature: 0.2 })
      expect(sent).toMatchObject({ max_tokens: 100, temperature: 0.2 })
      expect(sent).not.toHaveProperty("max_completion_tokens")
      expect(dropped).toBeNull()
    },
  )
})
