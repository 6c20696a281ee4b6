import type { Message } from "./chat-api.ts"
import { emptyMessage } from "./empty-message.ts"

/** Creates a message for tests: by default, a completed user message. */
export const createTestMessage = (fields: Partial<Message> & Pick<Message, "id">): Message => ({
  ...emptyMessage,
  chat_id: "chat",
  parent_id: null,
  role: "user",
  content: fields.id,
  state: "completed",
  created_at: 0,
  ...fields,
})
