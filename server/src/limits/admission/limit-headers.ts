import type { LimitState } from "../ledger/blocked-limit.ts"

export type LimitHeaderApi = "openai" | "anthropic"

/** The tightest limit of each metric, as far as it is known. */
export interface LimitedMetrics {
  requests: LimitState | null
  tokens: LimitState | null
}

const leftOf = ({ amount, spent, reserved }: LimitState): number =>
  Math.max(0, Math.floor(amount - spent - reserved))

/** The one that leaves less. */
export const findTighter = (one: LimitState | null, other: LimitState | null): LimitState | null =>
  one && other && leftOf(one) <= leftOf(other) ? one : (other ?? one)

/** As OpenAI writes it: `6m0s`, `15s`, `20ms`. */
const formatDuration = (ms: number): string => {
  if (ms < 1000) return `${Math.ceil(ms)}ms`
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m${seconds % 60}s`
  const hours = Math.floor(minutes / 60)
  const time = `${hours % 24}h${minutes % 60}m${seconds % 60}s`
  return hours < 24 ? time : `${Math.floor(hours / 24)}d${time}`
}

const namesOf = (metric: string) => ({
  openai: {
    limit: `x-ratelimit-limit-${metric}`,
    remaining: `x-ratelimit-remaining-${metric}`,
    reset: `x-ratelimit-reset-${metric}`,
  },
  anthropic: {
    limit: `anthropic-ratelimit-${metric}-limit`,
    remaining: `anthropic-ratelimit-${metric}-remaining`,
    reset: `anthropic-ratelimit-${metric}-reset`,
  },
})
const names = { requests: namesOf("requests"), tokens: namesOf("tokens") }

const headerDescriptions = {
  limit: (metric: string) => `The tightest limit on ${metric}`,
  remaining: (metric: string) => `How many ${metric} it leaves`,
  reset: (metric: string) => `When more ${metric} are left; missing if never`,
}

/** Descriptions of the headers that state limits, by name. */
export const describeLimitHeaders = (api: LimitHeaderApi): Record<string, string> =>
  Object.fromEntries(
    Object.entries(names).flatMap(([metric, { [api]: byPart }]) => [
      [byPart.limit, headerDescriptions.limit(metric)],
      [byPart.remaining, headerDescriptions.remaining(metric)],
      [byPart.reset, headerDescriptions.reset(metric)],
    ]),
  )

const formatReset = (api: LimitHeaderApi, resetsAt: number, at: number): string =>
  api === "openai"
    ? formatDuration(Math.max(0, resetsAt - at))
    : new Date(Math.max(resetsAt, at)).toISOString()

/**
 * The headers that state limits of requests and tokens: names and values in turn.
 * @see https://platform.openai.com/docs/guides/rate-limits
 * @see https://platform.claude.com/docs/en/api/rate-limits
 * @param at epoch ms
 */
export const createLimitHeaders = (
  limits: LimitedMetrics,
  api: LimitHeaderApi,
  at: number,
): string[] => {
  const headers: string[] = []
  for (const metric of ["requests", "tokens"] as const) {
    const state = limits[metric]
    if (!state) continue
    const { limit, remaining, reset } = names[metric][api]
    headers.push(limit, `${state.amount}`, remaining, `${leftOf(state)}`)
    if (Number.isFinite(state.resetsAt)) headers.push(reset, formatReset(api, state.resetsAt, at))
  }
  return headers
}
