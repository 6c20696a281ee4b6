import { z } from "zod"
import { usageDimensions } from "./dimensions.ts"

/**
 * How a request ended. `client_cancelled`: the client disconnected. `revoked`: its credential was
 * revoked. `upstream_error`: the upstream failed or refused. `refused_request`: the upstream
 * rejected the request as invalid. `limited`: a limit kept it from being sent.
 */
export const RequestOutcome = z.enum([
  "ok",
  "client_cancelled",
  "revoked",
  "refused_request",
  "upstream_error",
  "shut_down",
  "limited",
])
export type RequestOutcome = z.output<typeof RequestOutcome>

const secondsPerDay = 86_400

/** Parts of the time, in UTC, that usage is summed by. */
export const UsageInterval = z.enum(["hour", "day", "month"])
export type UsageInterval = z.output<typeof UsageInterval>

const maxListedGroups = 50
export const defaultListedGroups = 10

export const UsageQuery = z.object({
  /** Epoch seconds; defaults to 30 days before `to`. */
  from: z.coerce.number<string>().int().min(0).optional(),
  to: z.coerce.number<string>().int().min(0).optional(),
  group_by: z
    .enum(["none", ...UsageInterval.options, ...usageDimensions])
    .default("day")
    .describe("What has a total of its own: an interval of UTC, or a model, user, and so on"),
  interval: UsageInterval.optional().describe(
    "Splits the totals of each model, user, and so on, by intervals of UTC",
  ),
  top: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(maxListedGroups)
    .optional()
    .describe(
      "The number of groups to list, the largest of the whole period; the others are added up. " +
        "By default all, and 10 with an interval",
    ),
  rank_by: z.enum(["cost", "requests", "tokens"]).default("requests"),
  model: z.string().max(300).optional(),
  /** For administrators; other users only see their own usage. */
  user_id: z.string().max(200).optional(),
  key_id: z.string().max(200).optional(),
  /** The group that pays. */
  group_id: z.string().max(200).optional(),
  connection_id: z.string().max(200).optional(),
  outcome: RequestOutcome.optional(),
})
export type UsageQuery = z.output<typeof UsageQuery>

export const UsageExportQuery = z.object({
  month: z
    .string()
    .regex(/^20\d\d-(?:0[1-9]|1[0-2])$/, "Write the month like 2026-01.")
    .describe("A month of UTC, such as `2026-01`"),
})

export const defaultSpanSeconds = 30 * secondsPerDay

export const UsageTotal = z.object({
  /** Epoch seconds of the interval's begin; null without `interval`. */
  start: z.int().nullable(),
  /**
   * The hour (`2026-01-31T23`), day or month (UTC), the outcome, or the id of the model, user,
   * group, key or connection. Null for requests that have none, and for all others than the `top`.
   */
  key: z.string().nullable(),
  /** Whether it is the total of all others than the `top`. */
  is_rest: z.boolean(),
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
