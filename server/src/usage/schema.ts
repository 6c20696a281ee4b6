import { z } from "zod"

/**
 * How a request ended. `client_cancelled`: the client disconnected. `revoked`: its credential was
 * revoked. `upstream_error`: the upstream failed or refused. `refused_request`: the upstream
 * rejected the request as invalid.
 */
export const RequestOutcome = z.enum([
  "ok",
  "client_cancelled",
  "revoked",
  "refused_request",
  "upstream_error",
  "shut_down",
])
export type RequestOutcome = z.output<typeof RequestOutcome>

const secondsPerDay = 86_400

export const UsageQuery = z.object({
  /** Epoch seconds; defaults to 30 days before `to`. */
  from: z.coerce.number<string>().int().min(0).optional(),
  to: z.coerce.number<string>().int().min(0).optional(),
  group_by: z.enum(["day", "model", "user", "group", "key", "connection"]).default("day"),
  model: z.string().max(300).optional(),
  /** For administrators; other users only see their own usage. */
  user_id: z.string().max(200).optional(),
  key_id: z.string().max(200).optional(),
  /** The group that pays. */
  group_id: z.string().max(200).optional(),
})
export type UsageQuery = z.output<typeof UsageQuery>

export const defaultSpanSeconds = 30 * secondsPerDay

export const UsageTotal = z.object({
  /** The day (`2026-01-31`, UTC), or the id of the model, user, group, key or connection. */
  key: z.string().nullable(),
  /** The name of the user, group or key; null for other groups, and if it no longer exists. */
  name: z.string().nullable(),
  /** The user's email address; null for other groups. */
  email: z.string().nullable(),
  requests: z.int(),
  /** Requests that failed; answers that the user or client stopped are not errors. */
  errors: z.int(),
  /** How many times the requests were sent to a connection. */
  attempts: z.int(),
  tokens_in: z.int(),
  tokens_out: z.int(),
  /** The kinds are parts of the two sums; a token may be of several kinds. */
  tokens_cache_read: z.int(),
  tokens_cache_write: z.int(),
  tokens_cache_write_1h: z.int(),
  tokens_reasoning: z.int(),
  tokens_audio_in: z.int(),
  tokens_audio_out: z.int(),
  tokens_image_in: z.int(),
  tokens_image_out: z.int(),
  /** The sum of known costs, in nano-dollars. */
  cost: z.int(),
  /** Requests whose tokens have no known price, so that `cost` lacks them. */
  unpriced: z.int(),
  /** Means over the group, in milliseconds. */
  duration_ms: z.number(),
  time_to_first_token_ms: z.number().nullable(),
})
export type UsageTotal = z.output<typeof UsageTotal>

export const UsageReport = z
  .object({
    from: z.int(),
    to: z.int(),
    items: z.array(UsageTotal),
    total: z.int(),
    /** Records lost since startup because the database could not keep up. */
    dropped: z.int(),
  })
  .meta({ id: "UsageReport" })
export type UsageReport = z.output<typeof UsageReport>
