/**
 * Sums of usage records that are alike. `part` is `hour` for the kept records of an hour, `deleted`
 * for its deleted ones, and `day` for both of a whole day. Texts are "" instead of null.
 */
interface UsageSumRow {
  part: string
  /** When the hour or day begins (UTC), in epoch seconds. */
  start: number
  user_id: string
  group_id: string
  key_id: string
  model: string
  connection_id: string
  outcome: string
  requests: number
  attempts: number
  tokens_in: number
  tokens_out: number
  tokens_cache_read: number
  tokens_cache_write: number
  tokens_cache_write_1h: number
  tokens_reasoning: number
  tokens_audio_in: number
  tokens_audio_out: number
  tokens_image_in: number
  tokens_image_out: number
  /** In nano-dollars, of requests with a known price. */
  cost: number
  /** Requests without a known price. */
  unpriced: number
  /** The sum of all durations. */
  duration_ms: number
  /** Requests whose time to the first token is known, and the sum of these times. */
  first_tokens: number
  first_token_ms: number
}

/** An hour or day whose sums do not contain all of its records, or not as they are now. */
interface UsageOutdatedRow {
  /** `hour` or `day`. */
  part: string
  start: number
  /** Differs after each change of the records. */
  version: string
}

export interface UsageSumTables {
  usage_sums: UsageSumRow
  usage_outdated: UsageOutdatedRow
}
