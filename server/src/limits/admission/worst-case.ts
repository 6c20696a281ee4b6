import { calculateMaxCost } from "../../prices/cost.ts"
import type { PriceEntry } from "../../prices/schema.ts"
import type { Amounts } from "../ledger/limit-rule.ts"
import type { RequestSize } from "./request-size.ts"

/** For models that are priced by the time that they run. */
const maxDurationMs = 300_000

/** Shorter answers are of no use; it is also the smallest limit of OpenAI's Responses API. */
export const minOutputTokens = 16

/** What a request may use at most, by the tokens of its output. */
export type WorstCase = (maxTokensOut: number) => Amounts

/** More than any answer has; sums of it stay exact. */
const maxTokens = 1e12

/** Requests, and requests in flight. */
export const oneRequest: Amounts = { requests: 1, concurrency: 1, tokens: 0, cost: 0 }

/** @param prices those of all connections that may answer */
export const createWorstCase =
  ({ maxTokensIn, choices, serviceTier }: RequestSize, prices: readonly PriceEntry[]): WorstCase =>
  (maxTokensOutOfOne) => {
    const maxTokensOut = Math.min(maxTokensOutOfOne * choices, maxTokens)
    const bounds = { maxTokensIn, maxTokensOut, serviceTier, durationMs: maxDurationMs }
    let cost = 0
    for (const price of prices) cost = Math.max(cost, calculateMaxCost(price, bounds))
    return { requests: 1, concurrency: 1, tokens: maxTokensIn + maxTokensOut, cost }
  }

export type SizedMetric = "tokens" | "cost"

export const isSized = (metric: string): metric is SizedMetric =>
  metric === "tokens" || metric === "cost"

/** The largest output up to `max` that fits into what is left; less than the minimum if none does. */
export const findFittingOutput = (
  worstCase: WorstCase,
  { metric, left, max }: { metric: SizedMetric; left: number; max: number },
): number => {
  if (worstCase(max)[metric] <= left) return max
  let fits = 0
  let exceeds = max
  while (exceeds - fits > 1) {
    const middle = Math.floor((fits + exceeds) / 2)
    if (worstCase(middle)[metric] <= left) fits = middle
    else exceeds = middle
  }
  return fits
}
