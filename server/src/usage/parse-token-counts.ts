import type { Fields } from "../formats/json-values.ts"
import { readTokenDetails } from "../formats/read-token-details.ts"
import { limitKinds, type ReportTokens, type TokenCounts } from "./token-counts.ts"

/**
 * Field names for input and output tokens: chat, completions and embeddings; responses and messages;
 * Ollama.
 */
const fieldPairs = [
  ["prompt_tokens", "completion_tokens"],
  ["input_tokens", "output_tokens"],
  ["prompt_eval_count", "eval_count"],
] as const

const maxCount = 1e12

const count = (value: unknown): number | null =>
  typeof value === "number" && value >= 0 && value <= maxCount ? Math.round(value) : null

/**
 * Anthropic counts input tokens that were read from or written to its cache apart; proxies that
 * add these members to the usage of a chat completion do not.
 */
const cacheTokens = (usage: Fields, inputField: string): number =>
  inputField === "input_tokens"
    ? (count(usage.cache_read_input_tokens) ?? 0) + (count(usage.cache_creation_input_tokens) ?? 0)
    : 0

const tokensInTotalOnly = (usage: Fields, counted: number): number =>
  count(usage.completion_tokens) === null
    ? 0
    : Math.max(0, (count(usage.total_tokens) ?? 0) - counted)

const toTokenCounts = (usage: Fields, sums: { input: number; output: number }): TokenCounts => {
  const details = readTokenDetails(usage)
  const cacheRead = count(details.cached) ?? 0
  const cacheWrite = count(details.cacheWritten) ?? 0
  // Chat completions of xAI and Google contain the reasoning, which costs as much as other output,
  // in the total alone; a server that counts cached input as Anthropic does, the cached input.
  const uncounted = tokensInTotalOnly(usage, sums.input + sums.output)
  const isCached = uncounted === cacheRead + cacheWrite
  const reasoning = isCached ? 0 : uncounted
  return limitKinds({
    tokens_in: Math.min(maxCount, sums.input + (isCached ? uncounted : 0)),
    tokens_out: Math.min(maxCount, sums.output + reasoning),
    tokens_cache_read: cacheRead,
    tokens_cache_write: cacheWrite,
    tokens_cache_write_1h: count(details.cacheWrittenForHour) ?? 0,
    tokens_reasoning: Math.max(count(details.reasoning) ?? 0, reasoning),
    tokens_audio_in: count(details.audioIn) ?? 0,
    tokens_audio_out: count(details.audioOut) ?? 0,
    tokens_image_in: count(details.imageIn) ?? 0,
    tokens_image_out: count(details.imageOut) ?? 0,
  })
}

/**
 * Parses an upstream's token counts; null if there are none. Hand-written instead of a schema, as
 * it runs for every response.
 */
export const parseTokenCounts = (usage: unknown): TokenCounts | null => {
  if (typeof usage !== "object" || usage === null) return null
  const fields = usage as Fields
  for (const [inputField, outputField] of fieldPairs) {
    const input = count(fields[inputField])
    const output = count(fields[outputField])
    if (input !== null || output !== null) {
      const sums = { input: (input ?? 0) + cacheTokens(fields, inputField), output: output ?? 0 }
      return toTokenCounts(fields, sums)
    }
  }
  return null
}

/** @returns what reports the token counts of a `usage`, if it has any */
export const createUsageReport =
  (report: ReportTokens) =>
  (usage: Fields): void => {
    const counts = parseTokenCounts(usage)
    if (counts) report(counts)
  }
