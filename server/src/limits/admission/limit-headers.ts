import type { LimitState } from "../ledger/blocked-limit.ts"

/** What is left of the tightest limit of a metric. */
interface Remaining {
  amount: number
  left: number
  /** Epoch ms; Infinity if nothing that was used stops counting. */
  resetsAt: number
}

export interface LimitedMetrics {
  requests: readonly LimitState[]
  tokens: readonly LimitState[]
}

/** For each of the APIs that have such headers: names and values. */
export interface LimitHeaders {
  openai: Record<string, string>
  anthropic: Record<string, string>
}

const findTightest = (states: readonly LimitState[]): Remaining | null => {
  let tightest: Remaining | null = null
  for (const { amount, spent, reserved, resetsAt } of states) {
    const left = Math.max(0, Math.floor(amount - spent - reserved))
    if (!tightest || left < tightest.left) tightest = { amount, left, resetsAt }
  }
  return tightest
}

/** As OpenAI writes it: `6m0s`, `1.5s`, `20ms`. */
const formatDuration = (ms: number): string => {
  if (ms < 1000) return `${Math.ceil(ms)}ms`
  const seconds = Math.ceil(ms / 1000)
  const [days, hours, minutes] = [86_400, 3600, 60].map((unit) => Math.floor(seconds / unit))
  const parts = [
    [days, "d"],
    [(hours ?? 0) % 24, "h"],
    [(minutes ?? 0) % 60, "m"],
    [seconds % 60, "s"],
  ] as const
  const first = parts.findIndex(([count]) => count !== 0)
  return parts
    .slice(first)
    .map(([count, unit]) => `${count}${unit}`)
    .join("")
}

/**
 * The headers that state limits of requests and tokens.
 * @see https://platform.openai.com/docs/guides/rate-limits
 * @see https://platform.claude.com/docs/en/api/rate-limits
 * @param at epoch ms
 */
export const createLimitHeaders = (limits: LimitedMetrics, at: number): LimitHeaders => {
  const headers: LimitHeaders = { openai: {}, anthropic: {} }
  for (const metric of ["requests", "tokens"] as const) {
    const tightest = findTightest(limits[metric])
    if (!tightest) continue
    const { amount, left, resetsAt } = tightest
    headers.openai[`x-ratelimit-limit-${metric}`] = `${amount}`
    headers.openai[`x-ratelimit-remaining-${metric}`] = `${left}`
    headers.anthropic[`anthropic-ratelimit-${metric}-limit`] = `${amount}`
    headers.anthropic[`anthropic-ratelimit-${metric}-remaining`] = `${left}`
    if (!Number.isFinite(resetsAt)) continue
    headers.openai[`x-ratelimit-reset-${metric}`] = formatDuration(Math.max(0, resetsAt - at))
    const resetDate = new Date(Math.max(resetsAt, at)).toISOString()
    headers.anthropic[`anthropic-ratelimit-${metric}-reset`] = resetDate
  }
  return headers
}
