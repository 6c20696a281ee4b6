import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClaudeModel } from "../fakes/anthropic.ts"
import { startAnthropicTestbed } from "./anthropic-testbed.ts"

const supported = { supported: true }
const unsupported = { supported: false }
const withBudget = createClaudeModel("claude-budget", { thinking: supported, effort: unsupported })
const withAdaptive = createClaudeModel("claude-adaptive", {
  thinking: { ...supported, types: { adaptive: supported, enabled: supported } },
  effort: { ...supported, low: supported, high: supported },
})
/** The list of its server does not say what it accepts. */
const unknown = (id: string) => ({
  ...createClaudeModel(id, {}),
  ...{ capabilities: null, max_tokens: null },
})

let testbed: Awaited<ReturnType<typeof startAnthropicTestbed>>

beforeAll(async () => {
  testbed = await startAnthropicTestbed([
    ...[withBudget, withAdaptive],
    ...["claude-sonnet-4-5-20250929", "claude-opus-4-6", "claude-opus-4-7", "kimi-k2"].map(unknown),
  ])
})
afterAll(async () => {
  await testbed.gateway.stop()
  await testbed.upstream.close()
})

const chat = (body: object) => testbed.chat(body)
const respond = (body: object) => testbed.respond(body)

describe("reasoning requested from a model of Anthropic", () => {
  it("is a budget for a model without efforts", async () => {
    for (const { sent, dropped } of [
      await chat({ model: "claude-budget", max_tokens: 4000, reasoning_effort: "high" }),
      await respond({
        ...{ model: "claude-budget", max_output_tokens: 4000 },
        reasoning: { effort: "high" },
      }),
    ]) {
      expect(sent).toMatchObject({ thinking: { type: "enabled", budget_tokens: 2000 } })
      expect(sent).not.toHaveProperty("output_config")
      expect(dropped).toBeNull()
    }
  })

  it("is an effort and adaptive thinking for a model that has both", async () => {
    for (const { sent, dropped } of [
      await chat({ model: "claude-adaptive", reasoning_effort: "high" }),
      await respond({ model: "claude-adaptive", reasoning: { effort: "high" } }),
    ]) {
      expect(sent).toMatchObject({
        thinking: { type: "adaptive" },
        output_config: { effort: "high" },
      })
      expect(dropped).toBeNull()
    }
  })
})

describe("reasoning requested from a model whose list does not say what it accepts", () => {
  it.each<[string, object, object]>([
    [
      "claude-sonnet-4-5-20250929",
      { reasoning_effort: "high", max_tokens: 4000 },
      { thinking: { type: "enabled", budget_tokens: 2000 } },
    ],
    [
      "claude-opus-4-6",
      { reasoning_effort: "xhigh" },
      { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
    ],
    [
      "claude-opus-4-7",
      { reasoning_effort: "xhigh", temperature: 0.2 },
      { thinking: { type: "adaptive" }, output_config: { effort: "xhigh" } },
    ],
  ])("follows from its name: %s", async (model, fields, expected) => {
    expect((await chat({ model, ...fields })).sent).toMatchObject(expected)
  })

  it("is named if the name says nothing either", async () => {
    const { sent, dropped } = await chat({ model: "kimi-k2", reasoning_effort: "high" })
    expect(sent).not.toHaveProperty("thinking")
    expect(dropped).toBe("reasoning_effort")
  })

  it("leaves room for an answer besides the client's budget", async () => {
    const thinking = { type: "enabled", budget_tokens: 10_000 }
    const { sent } = await chat({ model: "kimi-k2", thinking })
    expect(sent).toMatchObject({ thinking, max_tokens: 14_096 })
  })
})
