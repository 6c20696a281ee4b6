import { describe, expect, it } from "vitest"
import { exportLiteLlm } from "./litellm-export.ts"
import { importLiteLlm } from "./litellm-import.ts"
import type { PriceEntry } from "./schema.ts"

const from = 1000
const importEntries = async (file: Record<string, unknown>): Promise<PriceEntry[]> =>
  (await importLiteLlm(file)).entries.map((entry) => ({ ...entry, from }))

/** Models with the members of the public file, one for each way in which it states prices. */
const file = {
  sample_spec: { input_cost_per_token: 0, mode: "one of: chat, embedding" },
  "gpt-5.4": {
    litellm_provider: "openai",
    mode: "chat",
    max_input_tokens: 1_050_000,
    max_output_tokens: 128_000,
    input_cost_per_token: 2.5e-6,
    input_cost_per_token_above_272k_tokens: 5e-6,
    input_cost_per_token_flex: 1.25e-6,
    input_cost_per_token_priority: 5e-6,
    input_cost_per_token_above_272k_tokens_batches: 2.5e-6,
    input_cost_per_token_batches: 1.25e-6,
    cache_read_input_token_cost: 2.5e-7,
    output_cost_per_token: 1.5e-5,
    output_cost_per_token_above_272k_tokens: 2.25e-5,
    supports_function_calling: true,
    supports_vision: true,
    supports_web_search: false,
    supports_response_schema: true,
  },
  "claude-sonnet-4-5": {
    litellm_provider: "anthropic",
    mode: "chat",
    input_cost_per_token: 3e-6,
    output_cost_per_token: 1.5e-5,
    cache_creation_input_token_cost: 3.75e-6,
    cache_creation_input_token_cost_above_1hr: 6e-6,
    cache_creation_input_token_cost_above_1hr_above_200k_tokens: 1.2e-5,
    cache_creation_input_token_cost_above_12hr: 9e-6,
    deprecation_date: "2026-11-30",
    successor_model: "claude-sonnet-5-5",
    source: "https://docs.anthropic.com/en/docs/about-claude/pricing",
  },
  "gemini/gemini-2.5-flash": {
    litellm_provider: "gemini",
    mode: "chat",
    input_cost_per_token: "1e-07",
    input_cost_per_audio_token: 3e-7,
    output_cost_per_token: 4e-7,
    output_cost_per_reasoning_token: 3.5e-6,
    deprecation_date: "soon",
    source: "see the pricing page",
  },
  "dashscope/qwen-flash": {
    litellm_provider: "dashscope",
    tiered_pricing: [
      { input_cost_per_token: 5e-8, output_cost_per_token: 4e-7, range: [0, 256e3] },
      { input_cost_per_token: 2.5e-7, output_cost_per_token: 2e-6, range: [256e3, 1e6] },
    ],
  },
  "text-embedding-3-small": {
    litellm_provider: "openai",
    mode: "embedding",
    input_cost_per_token: 2e-8,
  },
  "whisper-1": {
    litellm_provider: "openai",
    mode: "audio_transcription",
    input_cost_per_second: 0.0001,
    output_cost_per_second: 0.0001,
  },
  "dall-e-3": { litellm_provider: "openai", mode: "image_generation", input_cost_per_image: 0.04 },
  "perplexity/sonar": {
    litellm_provider: "perplexity",
    mode: "chat",
    input_cost_per_request: 0.005,
    input_cost_per_token: 1e-6,
    output_cost_per_token: 1e-6,
  },
  "sagemaker/llama": {
    litellm_provider: "sagemaker",
    mode: "chat",
    input_cost_per_second: 0.00042,
  },
  "my-own": { mode: "chat", max_input_tokens: 8192 },
}

const entries = await importEntries(file)
const entryOf = (model: string): PriceEntry | undefined =>
  entries.find((entry) => entry.model === model)

describe("LiteLLM's price file", () => {
  it("is read with context tiers and service tiers", () => {
    expect(entryOf("gpt-5.4")).toEqual({
      model: "gpt-5.4",
      provider: "openai",
      from,
      input: 2500,
      cached_input: 250,
      output: 15_000,
      tiers: [{ above: 272_000, input: 5000, output: 22_500 }],
      service_tiers: {
        flex: { input: 1250, tiers: [{ above: 272_000, input: 2500, output: 22_500 }] },
        priority: { input: 5000, tiers: [{ above: 272_000, input: 5000, output: 22_500 }] },
      },
      context_length: 1_050_000,
      max_output: 128_000,
      capabilities: ["vision", "tools", "structured_output"],
    })
  })

  it("is read with both lifetimes of caches, and the end of life", () => {
    expect(entryOf("claude-sonnet-4-5")).toEqual({
      model: "claude-sonnet-4-5",
      provider: "anthropic",
      from,
      input: 3000,
      output: 15_000,
      cache_write: 3750,
      cache_write_1h: 6000,
      tiers: [{ above: 200_000, cache_write_1h: 12_000 }],
      end_of_life: "2026-11-30",
      successor: "claude-sonnet-5-5",
      source: "https://docs.anthropic.com/en/docs/about-claude/pricing",
    })
  })

  it("is read without facts that are invalid, and with the provider's own names", () => {
    expect(entryOf("gemini-2.5-flash")).toEqual({
      model: "gemini-2.5-flash",
      provider: "google",
      from,
      ...{ input: 100, audio_input: 300, output: 400, reasoning: 3500 },
    })
  })

  it.each<[string, Partial<PriceEntry>]>([
    [
      "qwen-flash",
      { input: 50, output: 400, tiers: [{ above: 256_000, input: 250, output: 2000 }] },
    ],
    ["text-embedding-3-small", { input: 20, output: 0, capabilities: ["embeddings"] }],
    ["whisper-1", { audio_minute: 6_000_000 }],
    ["dall-e-3", { image: 40_000_000 }],
    ["sonar", { input: 1000, output: 1000, request: 5_000_000 }],
    ["llama", { gpu_hour: 1_512_000_000 }],
    ["my-own", { context_length: 8192 }],
  ])("is read with the units of %s", (model, expected) => {
    const { provider: _provider, ...entry } = entryOf(model) ?? {}
    expect(entry).toEqual({ model, from, ...expected })
  })

  it("loses nothing that was kept when it is exported and imported again", async () => {
    expect(entries).toHaveLength(Object.keys(file).length - 1)
    const reimported = await importEntries(JSON.parse(JSON.stringify(exportLiteLlm(entries, from))))
    expect(reimported).toEqual(expect.arrayContaining(entries))
    expect(reimported).toHaveLength(entries.length)
  })

  it("lists models under the keys that LiteLLM uses", () => {
    const keys = Object.keys(file).filter((key) => key !== "sample_spec")
    expect(Object.keys(exportLiteLlm(entries, from)).sort()).toEqual(keys.sort())
  })

  it("is exported with what holds now, except for single connections", () => {
    const priced = { model: "m", provider: "openai", output: 0 }
    const history = [
      { ...priced, from: 3000, input: 3 },
      { ...priced, from: 2000, input: 2 },
      { ...priced, from: 1000, input: 1 },
    ]
    const own = { model: "own", connection: "c", from: 0, input: 1, output: 1 }
    expect(exportLiteLlm([...history, own], 2500)).toEqual({
      m: {
        litellm_provider: "openai",
        mode: "chat",
        input_cost_per_token: 2e-9,
        output_cost_per_token: 0,
      },
    })
  })

  it("is exported with the price that holds, although a later entry only states facts", () => {
    const history = [
      { model: "m", from: 1, input: 1, output: 0, max_output: 5, context_length: 9 },
      { model: "m", from: 2, max_output: 6 },
    ]
    expect(exportLiteLlm(history, 3)).toEqual({
      m: {
        ...{ mode: "chat", input_cost_per_token: 1e-9, output_cost_per_token: 0 },
        max_output_tokens: 6,
      },
    })
  })

  it("keeps the general price of a model beside that of its provider", async () => {
    const both = [
      { model: "m", from, input: 1, output: 0 },
      { model: "m", provider: "openai", from, input: 2, output: 0 },
    ]
    const file = JSON.parse(JSON.stringify(exportLiteLlm(both.toReversed(), from)))
    expect(Object.keys(file)).toEqual(["m", "openai/m"])
    expect(await importEntries(file)).toEqual(both)
  })

  it("names the prices that it cannot state", () => {
    const entry = {
      ...{ model: "m", from, input: 5, output: 0 },
      tiers: [{ above: 32_768, input: 9 }],
      service_tiers: { mine: { output: 3 }, flex: { input: 2, request: 4 } },
    }
    expect(exportLiteLlm([entry], from).m).toMatchObject({
      input_cost_per_token_flex: 2e-9,
      omitted_prices: ["flex request", "above 32768 input", "mine output"],
    })
  })

  it("keeps prices per hour that no binary number has for a second", async () => {
    const hourly = [1, 7, 2.5e9, 29_999_999_999, 1e12].map((gpu_hour) => ({
      ...{ model: String(gpu_hour), from, gpu_hour },
    }))
    expect(await importEntries(exportLiteLlm(hourly, from) as Record<string, unknown>)).toEqual(
      hourly,
    )
  })

  it("is read without models that cannot be kept, which it names", async () => {
    const { entries: kept, skipped } = await importLiteLlm({
      alias: { alias_of: "gpt-5.4" },
      pixels: { litellm_provider: "openai", input_cost_per_pixel: 1e-8 },
      broken: 5,
      negative: { input_cost_per_token: -1e-6 },
      dear: { input_cost_per_token: 5, output_cost_per_token: 1 },
      "deepseek/chat": { litellm_provider: "deepseek", input_cost_per_token: 1e-6 },
      ...{ chat: { litellm_provider: "deepseek", input_cost_per_token: 2e-6 } },
    })
    expect(kept).toEqual([{ model: "chat", provider: "deepseek", input: 1000, output: 0 }])
    expect(skipped).toEqual([
      { model: "alias", reason: "This is another name of gpt-5.4" },
      { model: "pixels", reason: "No price or fact that can be imported" },
      { model: "broken", reason: "This is no object" },
      { model: "negative", reason: "No price or fact that can be imported" },
      { model: "dear", reason: expect.stringMatching(/^input: /) },
      { model: "chat", reason: "The model is listed twice" },
    ])
  })
})
