import { describe, expect, it } from "vitest"
import type { Fields } from "../formats/json-values.ts"
import { toAcceptedEffort } from "./openai-parameters.ts"

const proxy = "http://127.0.0.1:4000/v1"
const ofOpenAI = "https://api.openai.com/v1"
const tools = { tools: [{ type: "function", function: { name: "weather" } }] }

interface Case {
  baseUrl?: string
  capabilities?: Record<string, boolean>
  listing?: Fields
  request?: Fields
}

const accept = (name: string, effort: string, given: Case = {}) => {
  const { baseUrl = proxy, capabilities = {}, listing = {}, request = {} } = given
  const described = { created: 0, owned_by: "", context_length: null, digest: null }
  return toAcceptedEffort({ ...described, name, capabilities, listing }, baseUrl, request)(effort)
}

describe("the effort of a model that reasons", () => {
  it.each([
    ...["gpt-5-mini", "azure/gpt-5", "o3", "openai/o4-mini", "gpt-5.4", "grok-4", "x-ai/grok-4.3"],
    ...[
      "deepseek-v4-pro",
      "deepseek-reasoner",
      "deepseek/deepseek-r1",
      "qwen3-32b",
      "qwen/qwq-32b",
    ],
    ...["gpt-oss-120b", "gemini-3-pro-preview", "google/gemini-2.5-flash", "glm-4.6"],
    ...["magistral-medium", "kimi-k2-thinking", "anthropic/claude-sonnet-4.5"],
    ...["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-4-opus-20250514"],
    ...["gpt-5-mini-2025-08-07", "ft:o4-mini-2025-04-16:acme::a1", "models/gemini-2.5-pro"],
  ])("is requested, with and without tools: %s", (name) => {
    for (const request of [{}, tools]) expect(accept(name, "high", { request })).toBe("high")
  })

  it.each([
    ...["gpt-4.1", "gpt-4o", "gpt-5-chat-latest", "llama3.2", "c1", "grok-2", "deepseek-chat"],
    ...[
      "grok-4-fast-non-reasoning",
      "qwen3-coder",
      "qwen3-30b-a3b-instruct-2507",
      "claude-3-5-haiku",
      ...["ft:gpt-4.1:acme::o3abc", "ft:gpt-4.1:team-o3::a1", "GPT-5-Chat", "gpt-5.1-chat-latest"],
      ...["o1-mini", "openai/o1-preview-2024-09-12"],
    ],
  ])("is not requested from models that are not known to reason: %s", (name) => {
    expect(accept(name, "high")).toBeNull()
  })

  it.each<[string, Case, string | null]>([
    ["llama3.2", { capabilities: { thinking: true } }, "high"],
    ["qwen3-32b", { capabilities: { completion: true } }, null],
    ["acme/thinker", { listing: { supported_parameters: ["tools", "reasoning"] } }, "high"],
    ["qwen/qwen3-32b", { listing: { supported_parameters: ["tools"] } }, null],
  ])("follows the provider's list rather than the name: %s %j", (name, given, expected) => {
    expect(accept(name, "high", given)).toBe(expected)
  })

  it.each<[string, Case, string | null]>([
    ["gpt-5.5", { request: tools }, null],
    ["openai/gpt-5.6-terra", { request: tools }, null],
    ["gpt-5.6", { request: { tools: [] } }, "high"],
    ["openai/gpt-5.6", { request: tools, baseUrl: "https://openrouter.ai/api/v1" }, "high"],
    ["gpt-5.4", { request: tools, baseUrl: ofOpenAI }, null],
    ["gpt-5-mini", { request: tools, baseUrl: ofOpenAI }, "high"],
    ["grok-4", { baseUrl: "https://api.x.ai/v1" }, null],
    ["grok-4.3", { baseUrl: "https://api.x.ai/v1" }, "high"],
    ["magistral-medium-latest", { baseUrl: "https://api.mistral.ai/v1" }, null],
    ["qwen/qwen3-32b", { baseUrl: "https://api.groq.com/openai/v1" }, "default"],
    ["openai/gpt-oss-120b", { baseUrl: "https://api.groq.com/openai/v1" }, "high"],
  ])("is left out where servers reject it: %s %j", (name, given, expected) => {
    expect(accept(name, "high", given)).toBe(expected)
  })

  it.each([
    ["o3", "minimal", "low"],
    ["gpt-5-mini", "minimal", "minimal"],
    ["gpt-5-codex", "minimal", "low"],
    ["gpt-5-mini", "max", "high"],
    ["gpt-5.2", "xhigh", "xhigh"],
    ["gpt-5.2", "max", "xhigh"],
    ["gpt-5.4", "none", "none"],
    ["gpt-5-mini", "none", null],
    ["o3", "none", null],
    ["grok-4", "xhigh", "high"],
    ["qwen3-32b", "none", null],
  ])("is the nearest that the model accepts: %s, %s", (name, effort, expected) => {
    expect(accept(name, effort)).toBe(expected)
  })
})
