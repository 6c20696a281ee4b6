import { randomUUID } from "node:crypto"
import type { Fields } from "./json-values.ts"

/**
 * Formats one answer as a chat completion of OpenAI's API, whole or in chunks.
 * @see https://platform.openai.com/docs/api-reference/chat/object
 */
export const createCompletionFormatter = (
  model: string,
  id: string = `chatcmpl-${randomUUID()}`,
) => {
  const created = Math.floor(Date.now() / 1000)
  const chunk = (fields: Fields): Fields => ({
    ...{ id, object: "chat.completion.chunk", created, model, choices: [] },
    ...fields,
  })
  return {
    /** A chunk without a delta, such as one with `usage`. */
    chunk,
    deltaChunk: (delta: Fields, finish_reason: string | null = null): Fields =>
      chunk({ choices: [{ index: 0, delta, finish_reason }] }),
    completion: (message: Fields, finish_reason: string, fields: Fields): Fields => ({
      ...{ id, object: "chat.completion", created, model },
      choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
      ...fields,
    }),
  }
}

export interface CompletionUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
}

/** The `usage` of a completion. */
export const toCompletionUsage = (
  prompt_tokens: number,
  completion_tokens: number,
): CompletionUsage => ({
  ...{ prompt_tokens, completion_tokens },
  total_tokens: prompt_tokens + completion_tokens,
})
