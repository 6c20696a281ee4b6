import type { TokenCounts } from "../usage/token-counts.ts"
import { femtoPerNano, toFemto } from "./decimal.ts"
import type { UnitPriceName } from "./price-schema.ts"
import type { PricedUsage, UsageBounds } from "./priced-usage.ts"
import type { PriceEntry } from "./schema.ts"
import { findTokenRates, type RateQuery, servicePricesOf, type TokenRates } from "./token-rates.ts"

/** Femto-dollars; `maxInput` and `maxOutput` are those of the most expensive kind. */
interface PlainRates extends Readonly<Record<keyof TokenRates, number>> {
  readonly maxInput: number
  readonly maxOutput: number
  readonly request: number
}

const nano = Number(femtoPerNano)

const toPlainRates = (
  entry: PriceEntry,
  rates: TokenRates,
  serviceTier: string | null,
): PlainRates | null => {
  const service = servicePricesOf(entry, serviceTier)
  const unitRateOf = (name: UnitPriceName): number =>
    Number(toFemto(service?.[name] ?? entry[name] ?? 0) ?? 0)
  // These are divided, or depend on more than the tokens.
  if (unitRateOf("image") + unitRateOf("audio_minute") + unitRateOf("gpu_hour") > 0) return null
  const plain = {
    input: Number(rates.input),
    cached_input: Number(rates.cached_input),
    cache_write: Number(rates.cache_write),
    cache_write_1h: Number(rates.cache_write_1h),
    output: Number(rates.output),
    reasoning: Number(rates.reasoning),
    audio_input: Number(rates.audio_input),
    audio_output: Number(rates.audio_output),
    image_input: Number(rates.image_input),
    image_output: Number(rates.image_output),
  }
  const { input, cached_input, cache_write, cache_write_1h, audio_input, image_input } = plain
  const { output, reasoning, audio_output, image_output } = plain
  return {
    ...plain,
    maxInput: Math.max(
      ...[input, cached_input, cache_write, cache_write_1h, audio_input, image_input],
    ),
    maxOutput: Math.max(output, reasoning, audio_output, image_output),
    request: unitRateOf("request"),
  }
}

const plainByRates = new WeakMap<TokenRates, PlainRates | null>()

const findPlainRates = (entry: PriceEntry, query: RateQuery): PlainRates | null => {
  const rates = findTokenRates(entry, query)
  const known = plainByRates.get(rates)
  if (known !== undefined) return known
  const plain = toPlainRates(entry, rates, query.serviceTier)
  plainByRates.set(rates, plain)
  return plain
}

const toCount = (count: number): number =>
  count > 0 ? Math.ceil(Math.min(count, Number.MAX_SAFE_INTEGER)) : 0

/** Takes kinds out of a sum, one after the other. */
class PlainTokenSum {
  #rest: number
  femto = 0

  constructor(sum: number) {
    this.#rest = toCount(sum)
  }

  charge(count: number, rate: number): void {
    if (count === 0) return
    const taken = Math.min(toCount(count), this.#rest)
    this.#rest -= taken
    this.femto += taken * rate
  }

  chargeRest(rate: number): number {
    return this.femto + this.#rest * rate
  }
}

const inputCost = (tokens: TokenCounts, rates: PlainRates): number => {
  const sum = new PlainTokenSum(tokens.tokens_in)
  const hourly = toCount(tokens.tokens_cache_write_1h)
  sum.charge(tokens.tokens_audio_in, rates.audio_input)
  sum.charge(tokens.tokens_image_in, rates.image_input)
  sum.charge(tokens.tokens_cache_read, rates.cached_input)
  sum.charge(hourly, rates.cache_write_1h)
  sum.charge(Math.max(0, toCount(tokens.tokens_cache_write) - hourly), rates.cache_write)
  return sum.chargeRest(rates.input)
}

const outputCost = (tokens: TokenCounts, rates: PlainRates): number => {
  const sum = new PlainTokenSum(tokens.tokens_out)
  sum.charge(tokens.tokens_audio_out, rates.audio_output)
  sum.charge(tokens.tokens_image_out, rates.image_output)
  sum.charge(tokens.tokens_reasoning, rates.reasoning)
  return sum.chargeRest(rates.output)
}

/**
 * Rounds up to whole nano-dollars. All terms of a sum are integers and not negative: if the sum is
 * safe, each of them is, and nothing was rounded. A remainder is exact, which a quotient is not.
 * @returns null if the sum is not exact; a safe sum is less than any bound of costs
 */
const toNano = (femto: number): number | null => {
  if (!Number.isSafeInteger(femto)) return null
  const rest = femto % nano
  return (femto - rest) / nano + (rest > 0 ? 1 : 0)
}

const hasUsualUnits = ({ requests, images, audioMs }: PricedUsage | UsageBounds): boolean =>
  requests === undefined && images === undefined && audioMs === undefined

/** `calculateCost` without large integers, which take several times as long; null if it needs them. */
export const calculatePlainCost = (entry: PriceEntry, usage: PricedUsage): number | null => {
  if (!hasUsualUnits(usage)) return null
  const { tokens, serviceTier } = usage
  const rates = findPlainRates(entry, { tokensIn: tokens.tokens_in, serviceTier })
  if (!rates) return null
  return toNano(inputCost(tokens, rates) + outputCost(tokens, rates) + rates.request)
}

/** Infinity if there are no plain rates. */
const maxTokenCostAt = (entry: PriceEntry, tokensIn: number, bounds: UsageBounds): number => {
  const rates = findPlainRates(entry, { tokensIn, serviceTier: null })
  if (!rates) return Number.POSITIVE_INFINITY
  const input = toCount(bounds.maxTokensIn) * rates.maxInput
  return input + toCount(bounds.maxTokensOut) * rates.maxOutput + rates.request
}

/** `calculateMaxCost` without large integers; null if it needs them, or for a service tier. */
export const calculatePlainMaxCost = (entry: PriceEntry, bounds: UsageBounds): number | null => {
  const { maxTokensIn, maxTokensOut, serviceTier } = bounds
  if (servicePricesOf(entry, serviceTier) || !hasUsualUnits(bounds)) return null
  if (Number.isNaN(maxTokensIn) || Number.isNaN(maxTokensOut)) return null
  let max = maxTokenCostAt(entry, maxTokensIn, bounds)
  for (const { above } of entry.tiers ?? [])
    if (above < maxTokensIn) max = Math.max(max, maxTokenCostAt(entry, above, bounds))
  if (entry.tiers) max = Math.max(max, maxTokenCostAt(entry, 0, bounds))
  return toNano(max)
}
