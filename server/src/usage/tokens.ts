import { z } from "zod"
import type { Tokens } from "./schema.ts"

const Count = z.number().min(0).max(1e12).transform(Math.round)

/** `usage` of chat, completions and embeddings; of responses; and Ollama's own counts. */
const Counted = z.union([
  z
    .object({ prompt_tokens: Count, completion_tokens: Count.nullish() })
    .transform((u) => ({ tokens_in: u.prompt_tokens, tokens_out: u.completion_tokens ?? 0 })),
  z
    .object({ input_tokens: Count, output_tokens: Count })
    .transform((u) => ({ tokens_in: u.input_tokens, tokens_out: u.output_tokens })),
  z
    .object({ prompt_eval_count: Count.default(0), eval_count: Count })
    .transform((u) => ({ tokens_in: u.prompt_eval_count, tokens_out: u.eval_count })),
  z
    .object({ prompt_eval_count: Count })
    .transform((u) => ({ tokens_in: u.prompt_eval_count, tokens_out: 0 })),
])

/** What an upstream counted; null when it did not. */
export const countedTokens = (usage: unknown): Tokens | null => {
  const parsed = Counted.safeParse(usage)
  return parsed.success ? parsed.data : null
}
