import type { SqlBoolean } from "./column-types.ts"

/** A response of the Responses API; its input and output are in `stored_response_items`. */
export interface StoredResponseRow {
  user_id: string
  /** Unique only per user: earlier versions took over the ids of providers. */
  id: string
  /** The response that this one continues; it may have been deleted since. */
  previous_id: string | null
  /** The response object as JSON, with an empty `output`. */
  response: string
  /** Bytes of its items' JSON. */
  item_bytes: number
  /** Bytes that count toward its user's limits. */
  bytes: number
  /** When it was stored; expiry counts from here. */
  created_at: number
}

/** An item of a response's input or output. */
export interface StoredResponseItemRow {
  user_id: string
  response_id: string
  /** Within the response, from 0: its input, then its output. */
  position: number
  /** Unique neither per user nor per response; null for output without an id. */
  item_id: string | null
  is_output: SqlBoolean
  /** The item as JSON. */
  item: string
  bytes: number
  /** As in `stored_responses`. */
  created_at: number
}

export interface ResponseTables {
  stored_responses: StoredResponseRow
  stored_response_items: StoredResponseItemRow
}
