import type { SqlBoolean } from "./column-types.ts"

export interface ChatRow {
  id: string
  user_id: string
  title: string
  title_key: string
  /** Origin of the title: `words`, `model` or `person`. */
  title_source: string
  folder: string | null
  pinned: SqlBoolean
  archived: SqlBoolean
  shared: SqlBoolean
  /** JSON array: ids of the models that the last prompt was sent to. */
  models: string
  system: string
  /** JSON object. */
  params: string
  /** The last message of the displayed branch. */
  current_id: string | null
  created_at: number
  updated_at: number
  /**
   * Bytes of its messages, passages, prompt and parameters that count toward its user's storage.
   */
  text_bytes: number
  image_bytes: number
  /** Identifies the imported chat that this one was created from; null for other chats. */
  import_key: string | null
}

/** A user's folder for chats: `chats.folder` is its name. */
export interface ProjectRow {
  id: string
  user_id: string
  /** Unique among the user's projects. */
  name: string
  name_key: string
  instructions: string
  /** The model of new chats; null for the user's usual one. */
  model: string | null
  /** JSON array: files and collections that every chat is given as sources. */
  files: string
  created_at: number
  updated_at: number
}

interface ChatTagRow {
  chat_id: string
  tag: string
}

export interface ChatMessageRow {
  id: string
  chat_id: string
  parent_id: string | null
  /** Order of creation within the chat. */
  position: number
  /** Shared by answers generated side by side. */
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
  /** The request whose answer was stopped: a continued answer has another one. */
  stopped_request_id: string | null
  tokens_in: number | null
  tokens_out: number | null
  estimated: SqlBoolean
  time_to_first_token_ms: number | null
  duration_ms: number | null
  /** While running: when the process writing it is considered dead unless it renews the lease. */
  lease_until: number | null
  created_at: number
  /** Epoch milliseconds; lets other processes find changes. */
  changed_ms: number
  /** JSON array: files and collections that a prompt refers to. */
  files: string | null
  /** JSON array: locations of the passages used for an answer; null if none were searched for. */
  sources: string | null
  /** JSON array: files that could not be searched. */
  sources_skipped: string | null
  /** Its share of `chats.text_bytes`; for a running answer, as last counted. */
  bytes: number
  edited: SqlBoolean
  thinking_ms: number | null
  /** Nano-dollars; null if it is not known. */
  cost: number | null
}

/** The owner's rating of an answer in their chat. */
export interface MessageRatingRow {
  message_id: string
  /** `up` or `down`. */
  value: string
  reason: string
  rated_at: number
}

/** Texts of the passages, separate from the messages, which are read far more often. */
interface ChatPassagesRow {
  message_id: string
  /** JSON array, in the order of `chat_messages.sources`. */
  texts: string
}

interface ChatImageRow {
  id: string
  message_id: string
  position: number
  media_type: string
  base64: string
}

export interface ConversationTables {
  chats: ChatRow
  chat_tags: ChatTagRow
  chat_messages: ChatMessageRow
  chat_images: ChatImageRow
  chat_passages: ChatPassagesRow
  projects: ProjectRow
  message_ratings: MessageRatingRow
}
