import { type Fields, numberOf, objectOf } from "./json-values.ts"

const firstNumber = (values: readonly unknown[]): number | null =>
  values.find((value) => typeof value === "number") ?? null

/** What the `usage` of a chat completion says besides its sums. */
export interface TokenDetails {
  /** Input tokens that were read from a cache; the others include those written to one. */
  cached: number
  /** Input tokens that were written to a cache. */
  cacheWritten: number
  /** Output tokens of the reasoning; null if the provider does not count them. */
  reasoning: number | null
}

/** Reads the members of OpenAI, DeepSeek, Moonshot, LiteLLM and Perplexity. */
export const readTokenDetails = (usage: Fields): TokenDetails => {
  const input = objectOf(usage.prompt_tokens_details ?? usage.input_tokens_details)
  const output = objectOf(usage.completion_tokens_details ?? usage.output_tokens_details)
  return {
    cached: numberOf(
      firstNumber([
        ...[input.cached_tokens, usage.prompt_cache_hit_tokens],
        ...[usage.cached_tokens, usage.cache_read_input_tokens],
      ]),
    ),
    cacheWritten: numberOf(
      firstNumber([input.cache_write_tokens, usage.cache_creation_input_tokens]),
    ),
    reasoning: firstNumber([output.reasoning_tokens, usage.reasoning_tokens]),
  }
}
