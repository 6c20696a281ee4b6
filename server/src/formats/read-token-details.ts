import { type Fields, numberOf, objectOf } from "./json-values.ts"

const firstNumber = (values: readonly unknown[]): number | null =>
  values.find((value) => typeof value === "number") ?? null

/** What a `usage` says besides its sums: parts of the input and of the output tokens. */
export interface TokenDetails {
  /** Input tokens that were read from a cache; the others include those written to one. */
  cached: number
  /** Input tokens that were written to a cache. */
  cacheWritten: number
  /** Those of `cacheWritten` that are kept for an hour, which costs more. */
  cacheWrittenForHour: number
  /** Output tokens of the reasoning; null if the provider does not count them. */
  reasoning: number | null
  audioIn: number
  audioOut: number
  imageIn: number
  imageOut: number
}

/**
 * Reads the details of a `usage` of chat completions, Responses or Messages, with the members of
 * OpenAI, Anthropic, DeepSeek, Moonshot, LiteLLM, OpenRouter and Perplexity.
 */
export const readTokenDetails = (usage: Fields): TokenDetails => {
  const input = objectOf(usage.prompt_tokens_details ?? usage.input_tokens_details)
  const output = objectOf(usage.completion_tokens_details ?? usage.output_tokens_details)
  const { ephemeral_1h_input_tokens } = objectOf(usage.cache_creation)
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
    cacheWrittenForHour: numberOf(ephemeral_1h_input_tokens),
    reasoning: firstNumber([
      ...[output.reasoning_tokens, output.thinking_tokens],
      usage.reasoning_tokens,
    ]),
    audioIn: numberOf(input.audio_tokens),
    audioOut: numberOf(output.audio_tokens),
    imageIn: numberOf(input.image_tokens),
    imageOut: numberOf(output.image_tokens),
  }
}
