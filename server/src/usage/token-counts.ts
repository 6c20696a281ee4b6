import type { Tokens } from "./schema.ts"

/** Field names for input and output tokens: chat, completions and embeddings; responses; Ollama. */
const namePairs = [
  ["prompt_tokens", "completion_tokens"],
  ["input_tokens", "output_tokens"],
  ["prompt_eval_count", "eval_count"],
] as const

const max = 1e12

const count = (value: unknown): number | null =>
  typeof value === "number" && value >= 0 && value <= max ? Math.round(value) : null

/**
 * Parses an upstream's token counts; null if there are none. Hand-written instead of a schema, as
 * it runs for every response.
 */
export const countedTokens = (usage: unknown): Tokens | null => {
  if (typeof usage !== "object" || usage === null) return null
  const fields = usage as Record<string, unknown>
  for (const [read, written] of namePairs) {
    const tokens_in = count(fields[read])
    const tokens_out = count(fields[written])
    if (tokens_in !== null || tokens_out !== null) {
      return { tokens_in: tokens_in ?? 0, tokens_out: tokens_out ?? 0 }
    }
  }
  return null
}
