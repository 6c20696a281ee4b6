import { describe, expect, it } from "vitest"
import type { Fields } from "../json-values.ts"
import { encodeMessagesRequest } from "./encode-request.ts"
import type { ThinkingSupport } from "./thinking-parameters.ts"

const adaptive = { supportsEffort: true, adaptive: true, budget: true, disabled: true }
const onlyAdaptive = { supportsEffort: true, adaptive: true, budget: false }
const budget = { supportsEffort: false, adaptive: false, budget: true }
const effortAndBudget = { supportsEffort: true, adaptive: false, budget: true }
const none = { supportsEffort: false }

const tools = [{ type: "function", function: { name: "f" } }]
const user = { role: "user", content: "Hi" }
const call = { id: "1", type: "function", function: { name: "f", arguments: "{}" } }
const result = { role: "tool", tool_call_id: "1", content: "x" }
const signed = [{ type: "reasoning.text", text: "Hm.", signature: "c2ln" }]

const encode = (support: ThinkingSupport, fields: Fields) => {
  const dropped: string[] = []
  const model = { name: "claude", maxTokens: 64_000, ...support }
  const request = { messages: [user], reasoning_effort: "high", ...fields }
  const encoded = encodeMessagesRequest(request, model, (name) => dropped.push(name))
  const { thinking, output_config, temperature, top_p, top_k } = JSON.parse(JSON.stringify(encoded))
  return { thinking, effort: output_config?.effort, temperature, top_p, top_k, dropped }
}

const enabled = (budget_tokens: number) => ({ type: "enabled", budget_tokens })

describe("the effort of a request to Claude", () => {
  it.each<[string, ThinkingSupport, Fields, Fields]>([
    ["adaptive thinking", adaptive, {}, { thinking: { type: "adaptive" }, effort: "high" }],
    ["a budget", budget, {}, { thinking: enabled(16_384) }],
    [
      "a budget, in OpenRouter's form",
      budget,
      { reasoning_effort: undefined, reasoning: { effort: "low" } },
      { thinking: enabled(2048) },
    ],
    [
      "a budget of OpenRouter's clients",
      budget,
      { reasoning_effort: undefined, reasoning: { max_tokens: 3000 } },
      { thinking: enabled(3000) },
    ],
    [
      "an effort in place of such a budget",
      adaptive,
      { reasoning_effort: undefined, reasoning: { max_tokens: 3000 } },
      { thinking: { type: "adaptive" }, effort: "low" },
    ],
    [
      "a medium effort if reasoning is only turned on",
      adaptive,
      { reasoning_effort: undefined, reasoning: { enabled: true } },
      { thinking: { type: "adaptive" }, effort: "medium" },
    ],
    [
      "no thinking if reasoning is turned off",
      adaptive,
      { reasoning_effort: undefined, reasoning: { enabled: false } },
      { thinking: { type: "disabled" } },
    ],
    [
      "an effort in capitals",
      adaptive,
      { reasoning_effort: "HIGH" },
      { thinking: { type: "adaptive" }, effort: "high" },
    ],
    [
      "a budget for thinking without one",
      none,
      { reasoning_effort: undefined, thinking: { type: "enabled" } },
      { thinking: enabled(8192) },
    ],
    [
      "adaptive thinking for thinking without a budget",
      adaptive,
      { reasoning_effort: undefined, thinking: { type: "enabled" } },
      { thinking: { type: "adaptive" } },
    ],
    [
      "a budget if nothing says that thinking can be adaptive",
      { supportsEffort: false, budget: true },
      { reasoning_effort: undefined, thinking: { type: "adaptive" } },
      { thinking: enabled(8192) },
    ],
    ["a small budget", budget, { reasoning_effort: "minimal" }, { thinking: enabled(1024) }],
    [
      "a budget besides an effort",
      effortAndBudget,
      {},
      { thinking: enabled(16_384), effort: "high" },
    ],
    ["half of the limit", budget, { max_tokens: 4000 }, { thinking: enabled(2000) }],
    ["the smallest budget", budget, { max_tokens: 1025 }, { thinking: enabled(1024) }],
    ["no thinking", adaptive, { reasoning_effort: "none" }, { thinking: { type: "disabled" } }],
    [
      "the same budget",
      budget,
      { reasoning_effort: undefined, thinking: enabled(2000) },
      { thinking: enabled(2000) },
    ],
    [
      "adaptive thinking in place of a budget",
      onlyAdaptive,
      { reasoning_effort: undefined, thinking: enabled(2000) },
      { thinking: { type: "adaptive" } },
    ],
    [
      "a budget in place of adaptive thinking",
      budget,
      { reasoning_effort: undefined, thinking: { type: "adaptive" } },
      { thinking: enabled(8192) },
    ],
    [
      "a known level",
      { ...adaptive, efforts: new Set(["low", "high"]) },
      { reasoning_effort: "xhigh" },
      { thinking: { type: "adaptive" }, effort: "high" },
    ],
  ])("becomes %s", (_what, support, fields, expected) => {
    expect(encode(support, fields)).toMatchObject({ dropped: [], ...expected })
  })

  it.each<[string, ThinkingSupport, Fields]>([
    ["without thinking", none, {}],
    ["with a limit that leaves no room", budget, { max_tokens: 1024 }],
    ["that must call a tool", budget, { tools, tool_choice: "required" }],
    ["that continues an answer", budget, { messages: [user, { role: "assistant", content: "I" }] }],
    [
      "that continues after a tool without the thinking before it",
      budget,
      { tools, messages: [user, { role: "assistant", tool_calls: [call] }, result] },
    ],
  ])("is named if it has no effect: for a model or request %s", (_what, support, fields) => {
    const { thinking, effort, dropped } = encode(support, fields)
    expect([thinking, effort, dropped]).toEqual([undefined, undefined, ["reasoning_effort"]])
  })

  it("has effect after a tool if the thinking before it is there", () => {
    const answer = { role: "assistant", reasoning_details: signed, tool_calls: [call] }
    const { thinking } = encode(budget, { tools, messages: [user, answer, result] })
    expect(thinking).toEqual(enabled(16_384))
  })

  it("goes before a sampling that excludes thinking, which is named", () => {
    const sampling = { temperature: 0.2, top_p: 0.5, top_k: 5 }
    for (const support of [adaptive, budget]) {
      const { temperature, top_p, top_k, dropped } = encode(support, sampling)
      expect([temperature, top_p, top_k]).toEqual([undefined, undefined, undefined])
      expect(dropped).toEqual(["temperature", "top_p", "top_k"])
    }
    const allowed = { temperature: 1, top_p: 0.99 }
    expect(encode(budget, allowed)).toMatchObject({ ...allowed, dropped: [] })
    expect(encode(budget, { ...sampling, reasoning_effort: undefined })).toMatchObject(sampling)
  })

  it("keeps the sampling if thinking is turned off", () => {
    const off = { reasoning_effort: "none", temperature: 0.2 }
    expect(encode(adaptive, off)).toMatchObject({ temperature: 0.2, dropped: [] })
  })

  it("leaves out the sampling that models with nothing but adaptive thinking reject", () => {
    const plain = { reasoning_effort: undefined, temperature: 0.2 }
    expect(encode(onlyAdaptive, plain)).toMatchObject({ dropped: ["temperature"] })
    expect(encode(adaptive, plain)).toMatchObject({ temperature: 0.2, dropped: [] })
  })
})
