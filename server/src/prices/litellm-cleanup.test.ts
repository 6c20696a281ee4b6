import { describe, expect, it } from "vitest"
import { importLiteLlm } from "./litellm-import.ts"
import type { NewPriceEntry } from "./schema.ts"

const dollarsPerNano = 1e-9
const plain = { litellm_provider: "openai", mode: "chat" }

/** @param prices nano-dollars per token, by the member's name without `_cost_per_token` */
const fieldsOf = (prices: Record<string, number>): object =>
  Object.fromEntries(
    Object.entries(prices).map(([key, price]) => [
      key.replace(/^(input|output)/, "$1_cost_per_token"),
      price * dollarsPerNano,
    ]),
  )

const read = async (
  prices: Record<string, number>,
  fields: object = {},
): Promise<NewPriceEntry | string | undefined> => {
  const file = { m: { ...plain, ...fieldsOf(prices), ...fields } }
  const { entries, skipped } = await importLiteLlm(file)
  return entries[0] ?? skipped[0]?.reason
}

describe("a model of LiteLLM's file", () => {
  it("is charged as input for cache writes that cost nothing extra", async () => {
    const entry = await read({ input: 5, output: 9, cache_creation_input_token_cost: 0 })
    expect(entry).toEqual({ model: "m", provider: "openai", input: 5, output: 9 })
  })

  it("is left out if all of its prices are 0, except for facts without prices", async () => {
    expect(await read({ input: 0, output: 0 })).toBe(
      "Its prices are all 0, so they are probably unknown",
    )
    expect(await read({}, { input_cost_per_request: 0 })).toContain("probably unknown")
    expect(await read({ input: 0, output: 0 }, { input_cost_per_request: 1e-3 })).toMatchObject({
      request: 1_000_000,
    })
    expect(await read({}, { max_input_tokens: 9 })).toMatchObject({ context_length: 9 })
  })

  it("is as much cheaper for long inputs in a cheaper service tier, and no cheaper in others", async () => {
    const entry = await read({
      ...{ input: 9, output: 30, input_above_200k_tokens: 18, output_above_200k_tokens: 45 },
      ...{ input_flex: 3, output_flex: 10, input_priority: 16, output_priority: 60 },
      input_batches: 4,
    })
    expect(entry).toMatchObject({
      service_tiers: {
        flex: { input: 3, output: 10, tiers: [{ above: 200_000, input: 6, output: 15 }] },
        priority: { input: 16, output: 60, tiers: [{ above: 200_000, input: 18, output: 45 }] },
      },
    })
    expect(entry).not.toHaveProperty("service_tiers.batch")
  })

  it("keeps a third of a price within a price's decimals, rounded up", async () => {
    const entry = await read({
      ...{ input: 3, output: 1, input_above_200k_tokens: 1, input_flex: 2 },
    })
    expect(entry).toMatchObject({
      service_tiers: { flex: { tiers: [{ above: 200_000, input: 0.666667 }] } },
    })
  })

  it("changes the price of a part with that of its whole", async () => {
    const audio = { input_cost_per_audio_token: 7 * dollarsPerNano }
    const entry = await read(
      { input: 5, output: 9, output_priority: 20, output_above_200k_tokens: 12 },
      { ...audio, output_cost_per_reasoning_token: 9 * dollarsPerNano },
    )
    expect(entry).toEqual({
      ...{ model: "m", provider: "openai", input: 5, output: 9, audio_input: 7 },
      tiers: [{ above: 200_000, output: 12 }],
      service_tiers: { priority: { output: 20, tiers: [{ above: 200_000, output: 12 }] } },
    })
  })

  it("keeps the price of a part in a tier that differs from its whole in another", async () => {
    const entry = await read(
      { input: 5, output: 9, output_above_200k_tokens: 12 },
      {
        output_cost_per_reasoning_token: 10 * dollarsPerNano,
        output_cost_per_reasoning_token_above_200k_tokens: 12 * dollarsPerNano,
      },
    )
    expect(entry).toMatchObject({
      reasoning: 10,
      tiers: [{ above: 200_000, output: 12, reasoning: 12 }],
    })
  })

  it("is charged by its tokens alone, not by estimates of them", async () => {
    const audio = { mode: "audio_transcription", input_cost_per_second: 1e-4 }
    const entry = await read({ input: 5, output: 9 }, audio)
    expect(entry).toEqual({ model: "m", provider: "openai", input: 5, output: 9 })
    expect(await read({}, audio)).toMatchObject({ audio_minute: 6_000_000 })
    const image = { output_cost_per_image: 0.04, output_cost_per_image_token: 3e-5 }
    const drawn = await read({ input: 5, output: 9 }, image)
    expect(drawn).toMatchObject({ image_output: 30_000 })
    expect(drawn).not.toHaveProperty("image")
  })

  it("names its successor as the provider does", async () => {
    const fields = { litellm_provider: "gemini", successor_model: "gemini/gemini-9" }
    expect(await read({ input: 5, output: 9 }, fields)).toMatchObject({ successor: "gemini-9" })
    const prose = { ...fields, successor_model: "ask the provider" }
    expect(await read({ input: 5, output: 9 }, prose)).not.toHaveProperty("successor")
  })

  it("is corrected where the file is wrong, until the file changes", async () => {
    const embedding = { litellm_provider: "cohere", mode: "embedding" }
    const importCohere = async (input_cost_per_token: number) => {
      const file = { "embed-multilingual-light-v3.0": { ...embedding, input_cost_per_token } }
      return (await importLiteLlm(file)).entries[0]?.input
    }
    expect(await importCohere(1e-4)).toBe(100)
    expect(await importCohere(2e-7)).toBe(200)
  })
})
