import type { TokenCounts } from "./schema.ts"

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
const cacheTokens = (usage: Record<string, unknown>, inputField: string): number =>
  inputField === "input_tokens"
    ? (count(usage.cache_read_input_tokens) ?? 0) + (count(usage.cache_creation_input_tokens) ?? 0)
    : 0

/**
 * Parses an upstream's token counts; null if there are none. Hand-written instead of a schema, as
 * it runs for every response.
 */
export const parseTokenCounts = (usage: unknown): TokenCounts | null => {
  if (typeof usage !== "object" || usage === null) return null
  const fields = usage as Record<string, unknown>
  for (const [inputField, outputField] of fieldPairs) {
    const tokens_in = count(fields[inputField])
    const tokens_out = count(fields[outputField])
    if (tokens_in !== null || tokens_out !== null) {
      return {
        tokens_in: (tokens_in ?? 0) + cacheTokens(fields, inputField),
        tokens_out: tokens_out ?? 0,
      }
    }
  }
  return null
}
