import type { Message } from "./chat-api.ts"

/** Creates a message for tests: by default, a completed user message. */
export const createTestMessage = (fields: Partial<Message> & Pick<Message, "id">): Message => ({
  chat_id: "chat",
  parent_id: null,
  batch: null,
  role: "user",
  model: null,
  content: fields.id,
  reasoning: "",
  images: [],
  files: [],
  sources: null,
  sources_skipped: [],
  state: "completed",
  finish_reason: null,
  error: null,
  request_id: null,
  tokens_in: null,
  tokens_out: null,
  estimated: false,
  time_to_first_token_ms: null,
  duration_ms: null,
  created_at: 0,
  ...fields,
})
