import type { Bit } from "./tables.ts"

export interface ChatRow {
  id: string
  user_id: string
  title: string
  title_key: string
  /** Who made the title: `words`, `model` or `person`. */
  title_source: string
  folder: string | null
  pinned: Bit
  archived: Bit
  shared: Bit
  /** JSON array: what the last prompt went to. */
  models: string
  system: string
  /** JSON object. */
  params: string
  /** The last message of the branch that is shown. */
  current_id: string | null
  created_at: number
  updated_at: number
  /** Bytes of its messages, passages, prompt and parameters, as they count to its user's storage. */
  text_bytes: number
  image_bytes: number
}

export interface ChatTagRow {
  chat_id: string
  tag: string
}

export interface ChatMessageRow {
  id: string
  chat_id: string
  parent_id: string | null
  /** In order of making, within the chat. */
  position: number
  /** Answers made side by side share one. */
  batch: string | null
  role: string
  model: string | null
  content: string
  reasoning: string
  state: string
  finish_reason: string | null
  /** JSON object. */
  error: string | null
  request_id: string | null
  tokens_in: number | null
  tokens_out: number | null
  estimated: Bit
  time_to_first_token_ms: number | null
  duration_ms: number | null
  /** While running: when the process that writes it counts as dead unless it says more. */
  lease_until: number | null
  created_at: number
  /** Epoch milliseconds, so that another process sees what is new. */
  changed_ms: number
  /** JSON array: files and collections that a prompt is about. */
  files: string | null
  /** JSON array: where the passages stand that an answer was given; null where none were sought. */
  sources: string | null
  /** JSON array: files that could not be searched. */
  sources_skipped: string | null
  /** What it counts in `chats.text_bytes`; of a running answer, what it counted before. */
  bytes: number
}

/** The passages themselves, apart from the messages, which are read far more often. */
export interface ChatPassagesRow {
  message_id: string
  /** JSON array, in the order of `chat_messages.sources`. */
  texts: string
}

export interface ChatImageRow {
  id: string
  message_id: string
  position: number
  media_type: string
  base64: string
}
