import { describe, expect, it } from "vitest"
import { parseTokenCounts } from "./parse-token-counts.ts"
import { noTokens } from "./token-counts.ts"

describe("token counts", () => {
  it.each<[string, object, object]>([
    [
      "OpenAI's chat completions",
      {
        ...{ prompt_tokens: 2006, completion_tokens: 300, total_tokens: 2306 },
        prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 50 },
        completion_tokens_details: { reasoning_tokens: 192, audio_tokens: 40 },
      },
      {
        ...{ tokens_in: 2006, tokens_out: 300, tokens_cache_read: 1920, tokens_reasoning: 192 },
        ...{ tokens_audio_in: 50, tokens_audio_out: 40 },
      },
    ],
    [
      "OpenAI's Responses",
      {
        ...{ input_tokens: 90, output_tokens: 4200, total_tokens: 4290 },
        input_tokens_details: { cached_tokens: 8, text_tokens: 40, image_tokens: 50 },
        output_tokens_details: { reasoning_tokens: 40, image_tokens: 4160 },
      },
      {
        ...{ tokens_in: 90, tokens_out: 4200, tokens_cache_read: 8, tokens_reasoning: 40 },
        ...{ tokens_image_in: 50, tokens_image_out: 4160 },
      },
    ],
    [
      "Anthropic's Messages, which count cached input apart",
      {
        ...{ input_tokens: 11, cache_creation_input_tokens: 556, cache_read_input_tokens: 2000 },
        cache_creation: { ephemeral_5m_input_tokens: 456, ephemeral_1h_input_tokens: 100 },
        ...{ output_tokens: 7, output_tokens_details: { thinking_tokens: 5 } },
      },
      {
        ...{ tokens_in: 2567, tokens_out: 7, tokens_cache_read: 2000, tokens_cache_write: 556 },
        ...{ tokens_cache_write_1h: 100, tokens_reasoning: 5 },
      },
    ],
    [
      "DeepSeek's chat completions",
      {
        ...{ prompt_tokens: 16, completion_tokens: 10, total_tokens: 26 },
        ...{ prompt_cache_hit_tokens: 12, prompt_cache_miss_tokens: 4 },
      },
      { tokens_in: 16, tokens_out: 10, tokens_cache_read: 12 },
    ],
    [
      "Moonshot's chat completions",
      { prompt_tokens: 19, completion_tokens: 21, total_tokens: 40, cached_tokens: 10 },
      { tokens_in: 19, tokens_out: 21, tokens_cache_read: 10 },
    ],
    [
      "a proxy that adds Anthropic's members to a chat completion",
      {
        ...{ prompt_tokens: 2111, completion_tokens: 7, total_tokens: 2118 },
        ...{ cache_creation_input_tokens: 100, cache_read_input_tokens: 2000 },
      },
      { tokens_in: 2111, tokens_out: 7, tokens_cache_read: 2000, tokens_cache_write: 100 },
    ],
    [
      "xAI's chat completions, whose output lacks the reasoning",
      {
        ...{ prompt_tokens: 32, completion_tokens: 9, total_tokens: 135 },
        completion_tokens_details: { reasoning_tokens: 94 },
      },
      { tokens_in: 32, tokens_out: 103, tokens_reasoning: 94 },
    ],
    [
      "Google's chat completions, which do not name the reasoning",
      { prompt_tokens: 8, completion_tokens: 12, total_tokens: 523 },
      { tokens_in: 8, tokens_out: 515, tokens_reasoning: 503 },
    ],
    [
      "a server that counts cached input in the total alone",
      {
        ...{ prompt_tokens: 11, completion_tokens: 7, total_tokens: 2018 },
        prompt_tokens_details: { cached_tokens: 2000 },
      },
      { tokens_in: 2011, tokens_out: 7, tokens_cache_read: 2000 },
    ],
    [
      "a hostile server",
      { input_tokens: 1e12, output_tokens: 1, cache_read_input_tokens: 1e12 },
      { tokens_in: 1e12, tokens_out: 1, tokens_cache_read: 1e12 },
    ],
    ["embeddings", { prompt_tokens: 8, total_tokens: 8 }, { tokens_in: 8, tokens_out: 0 }],
    ["Ollama", { prompt_eval_count: 26, eval_count: 298 }, { tokens_in: 26, tokens_out: 298 }],
  ])("are read from the usage of %s", (_of, usage, expected) => {
    expect(parseTokenCounts(usage)).toEqual({ ...noTokens, ...expected })
  })

  it("never has more tokens of a kind than in total", () => {
    const usage = {
      ...{ prompt_tokens: 10, completion_tokens: 5 },
      prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 8, audio_tokens: 1e9 },
      completion_tokens_details: { reasoning_tokens: 6, image_tokens: 7 },
      cache_creation: { ephemeral_1h_input_tokens: 4 },
    }
    expect(parseTokenCounts(usage)).toEqual({
      ...{ tokens_in: 10, tokens_out: 5, tokens_cache_read: 8, tokens_cache_write: 2 },
      ...{ tokens_cache_write_1h: 2, tokens_reasoning: 5, tokens_audio_in: 10 },
      ...{ tokens_audio_out: 0, tokens_image_in: 0, tokens_image_out: 5 },
    })
  })

  it.each([
    null,
    "1",
    {},
    { prompt_tokens: -1 },
    { prompt_tokens: "12" },
    { input_tokens: Number.NaN, output_tokens: 1e300 },
  ])("are missing in %j", (usage) => {
    expect(parseTokenCounts(usage)).toBeNull()
  })

  it("leaves out kinds that are no counts", () => {
    const usage = {
      ...{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 1e300 },
      prompt_tokens_details: { cached_tokens: -3, audio_tokens: "7" },
      completion_tokens_details: [],
    }
    expect(parseTokenCounts(usage)).toEqual({ ...noTokens, tokens_in: 10, tokens_out: 5 })
  })
})
