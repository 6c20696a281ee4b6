/**
 * Tokens of one request, as reported by the upstream, or estimated if it did not report them. All
 * others are parts of the two sums, `tokens_in` and `tokens_out`; a token may be of several kinds.
 */
export interface TokenCounts {
  tokens_in: number
  tokens_out: number
  /** Input tokens that were read from the provider's cache. */
  tokens_cache_read: number
  /** Input tokens that were written to the provider's cache. */
  tokens_cache_write: number
  /** Those of `tokens_cache_write` that are kept for an hour, which Anthropic charges more for. */
  tokens_cache_write_1h: number
  /** Output tokens of the reasoning. */
  tokens_reasoning: number
  tokens_audio_in: number
  tokens_audio_out: number
  tokens_image_in: number
  tokens_image_out: number
}

export type ReportTokens = (counts: TokenCounts) => void

export const tokenKinds = [
  ...(["tokens_in", "tokens_out"] as const),
  ...(["tokens_cache_read", "tokens_cache_write", "tokens_cache_write_1h"] as const),
  "tokens_reasoning",
  ...(["tokens_audio_in", "tokens_audio_out", "tokens_image_in", "tokens_image_out"] as const),
] as const satisfies readonly (keyof TokenCounts)[]

export const noTokens: TokenCounts = {
  tokens_in: 0,
  tokens_out: 0,
  tokens_cache_read: 0,
  tokens_cache_write: 0,
  tokens_cache_write_1h: 0,
  tokens_reasoning: 0,
  tokens_audio_in: 0,
  tokens_audio_out: 0,
  tokens_image_in: 0,
  tokens_image_out: 0,
}

/** The counts of the prompt alone. */
export const withoutOutput = (counts: TokenCounts): TokenCounts => ({
  ...counts,
  tokens_out: 0,
  tokens_reasoning: 0,
  tokens_audio_out: 0,
  tokens_image_out: 0,
})

/** The larger count of each kind: reports of the same request may each lack some kinds. */
export const maxTokens = (one: TokenCounts, other: TokenCounts): TokenCounts => ({
  tokens_in: Math.max(one.tokens_in, other.tokens_in),
  tokens_out: Math.max(one.tokens_out, other.tokens_out),
  tokens_cache_read: Math.max(one.tokens_cache_read, other.tokens_cache_read),
  tokens_cache_write: Math.max(one.tokens_cache_write, other.tokens_cache_write),
  tokens_cache_write_1h: Math.max(one.tokens_cache_write_1h, other.tokens_cache_write_1h),
  tokens_reasoning: Math.max(one.tokens_reasoning, other.tokens_reasoning),
  tokens_audio_in: Math.max(one.tokens_audio_in, other.tokens_audio_in),
  tokens_audio_out: Math.max(one.tokens_audio_out, other.tokens_audio_out),
  tokens_image_in: Math.max(one.tokens_image_in, other.tokens_image_in),
  tokens_image_out: Math.max(one.tokens_image_out, other.tokens_image_out),
})

/** Limits the kinds to the sums that they are parts of. */
export const limitKinds = (counts: TokenCounts): TokenCounts => {
  const { tokens_in, tokens_out } = counts
  const cacheRead = Math.min(counts.tokens_cache_read, tokens_in)
  const cacheWrite = Math.min(counts.tokens_cache_write, tokens_in - cacheRead)
  return {
    tokens_in,
    tokens_out,
    tokens_cache_read: cacheRead,
    tokens_cache_write: cacheWrite,
    tokens_cache_write_1h: Math.min(counts.tokens_cache_write_1h, cacheWrite),
    tokens_reasoning: Math.min(counts.tokens_reasoning, tokens_out),
    tokens_audio_in: Math.min(counts.tokens_audio_in, tokens_in),
    tokens_audio_out: Math.min(counts.tokens_audio_out, tokens_out),
    tokens_image_in: Math.min(counts.tokens_image_in, tokens_in),
    tokens_image_out: Math.min(counts.tokens_image_out, tokens_out),
  }
}
