import { Failure } from "../../errors.ts"
import { type TranslatableMessage, translatable } from "../../i18n/message.ts"
import { outcomeOfErrorStatus } from "../../usage/outcome-of-error-status.ts"
import type { RequestOutcome } from "../../usage/schema.ts"
import type { BlockedLimit } from "../ledger/blocked-limit.ts"
import { zonedDateAt } from "../ledger/calendar.ts"
import type { StoredLimit } from "../store.ts"
import type { LimitHeaderApi } from "./limit-headers.ts"

/** SDKs repeat a request after 429, which would be of no use before the next period. */
const noRetry = { "x-should-retry": "false" }

const metricNames = {
  requests: translatable("limit_of_requests"),
  tokens: translatable("limit_of_tokens"),
  cost: translatable("limit_of_cost"),
  concurrency: translatable("limit_of_requests_in_flight"),
} as const

const windowNames = {
  minute: translatable("limit_per_minute"),
  hour: translatable("limit_per_hour"),
  day: translatable("limit_per_day"),
  week: translatable("limit_per_week"),
  month: translatable("limit_per_month"),
  total: translatable("limit_in_total"),
} as const

const ownerName = ({ target: { type, id = "" } }: StoredLimit): TranslatableMessage => {
  if (type === "model") return translatable("limit_for_model", { id })
  return translatable(`limit_for_${type}`)
}

/** Which limit it is, without its amount, which may not be the caller's business. */
export const nameOf = (limit: StoredLimit): TranslatableMessage => {
  const values = { metric: metricNames[limit.metric], owner: ownerName(limit) }
  if (limit.metric === "concurrency") return translatable("limit_name", values)
  const named = translatable("limit_name_with_window", {
    ...values,
    window: windowNames[limit.window],
  })
  return limit.model === undefined
    ? named
    : translatable("limit_name_with_model", { name: named, model: limit.model })
}

const twoDigits = (value: number): string => String(value).padStart(2, "0")

/** In a limit's time zone. */
export const formatDate = (at: number, timeZone: string): string => {
  const { year, month, day, hour, minute } = zonedDateAt(timeZone, at)
  const date = [year, twoDigits(month), twoDigits(day)].join("-")
  return `${date} ${twoDigits(hour)}:${twoDigits(minute)} (${timeZone})`
}

const isRateReached = ({ reason, passesAt }: BlockedLimit): boolean =>
  reason === "reserved" || (reason === "rate" && Number.isFinite(passesAt))

const messageOf = (limit: StoredLimit, block: BlockedLimit, seconds: number) => {
  const name = nameOf(limit)
  const { needed, amount, passesAt } = block
  if (block.reason === "reserved") return translatable("limit_in_use", { name })
  if (isRateReached(block)) return translatable("limit_rate_reached", { name, seconds })
  if (Number.isFinite(passesAt)) {
    return translatable("limit_used_up_until", {
      name,
      date: formatDate(passesAt, limit.time_zone),
    })
  }
  return needed > amount && amount > 0
    ? translatable("limit_exceeded_by_request", { name })
    : translatable("limit_used_up", { name })
}

/** A limit does not allow a request. */
class LimitFailure extends Failure {}

/** How a request ended that was not sent. */
export const outcomeOfFailure = (failure: Failure): RequestOutcome =>
  failure instanceof LimitFailure ? "limited" : outcomeOfErrorStatus(failure.status)

/** @param at epoch ms */
export const createLimitFailure = (
  limit: StoredLimit,
  block: BlockedLimit,
  { at, headers }: { at: number; headers: Record<LimitHeaderApi, Record<string, string>> },
): LimitFailure => {
  const seconds = Math.max(1, Math.ceil((block.passesAt - at) / 1000))
  const isRate = isRateReached(block)
  return new LimitFailure(
    isRate ? "rate_limit_exceeded" : "insufficient_quota",
    messageOf(limit, block, seconds),
    {
      headers: {
        ...(Number.isFinite(seconds) && { "retry-after": `${seconds}` }),
        ...(!isRate && noRetry),
      },
      headersByStyle: headers,
    },
  )
}

export const createUnreachableFailure = (): LimitFailure =>
  new LimitFailure("unavailable", translatable("database_unreachable"), {
    headers: { "retry-after": "2" },
  })

/** @param id that of the model as it was requested */
export const createPriceFailure = (id: string): LimitFailure =>
  new LimitFailure("forbidden", translatable("limit_without_price", { id }))
