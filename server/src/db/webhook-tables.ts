/** Where events are sent; at most one row, with the ID `webhook`. */
export interface WebhookRow {
  id: string
  url: string
  sealed_secret: string
  /** Epoch milliseconds; so are all times of these tables. */
  secret_created_ms: number
  /** The last attempt to deliver an event; null before the first. */
  last_type: string | null
  last_ms: number | null
  /** Of the response; null if there was none. */
  last_status: number | null
  /** Null if the event was accepted. */
  last_error: string | null
}

/** An event that the receiver has not accepted yet. */
export interface WebhookEventRow {
  /** Sent with each attempt. */
  id: string
  type: string
  /** Sent as it is. */
  body: string
  /** How often it was not accepted. */
  attempts: number
  /** When it is to be sent next. */
  due_ms: number
  created_ms: number
}

export interface WebhookTables {
  webhooks: WebhookRow
  webhook_events: WebhookEventRow
}
