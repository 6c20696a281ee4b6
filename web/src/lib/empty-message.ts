import type { Message } from "./chat-api.ts"

/** What a message has that was neither answered nor saved, apart from what identifies it. */
export const emptyMessage = {
  batch: null,
  model: null,
  content: "",
  reasoning: "",
  images: [],
  files: [],
  sources: null,
  sources_skipped: [],
  finish_reason: null,
  error: null,
  request_id: null,
  tokens_in: null,
  tokens_out: null,
  estimated: false,
  time_to_first_token_ms: null,
  duration_ms: null,
  thinking_ms: null,
  cost: null,
  edited: false,
  rating: null,
} satisfies Partial<Message>
