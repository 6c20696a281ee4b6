import type { TokenCounts } from "../usage/token-counts.ts"
import { femtoPerNano, toFemto } from "./decimal.ts"
import type { UnitPriceName } from "./price-schema.ts"
import type { PricedUsage, Units, UsageBounds } from "./priced-usage.ts"
import type { PriceEntry } from "./schema.ts"
import { findTokenRates, servicePricesOf, type TokenRates } from "./token-rates.ts"

/** 100,000 dollars: no request costs more, and sums of costs stay safe integers for long. */
const maxCost = 100_000_000_000_000

const msPerHour = 3_600_000n
const msPerMinute = 60_000n

/** Counts come from other programs: what is no number counts as 0, and a part of one as a whole. */
const toCount = (count: number | undefined): bigint =>
  count !== undefined && count > 0
    ? BigInt(Math.ceil(Math.min(count, Number.MAX_SAFE_INTEGER)))
    : 0n

/** Takes kinds out of a sum, one after the other: a token of several kinds is charged once. */
class TokenSum {
  #rest: bigint
  femto = 0n

  constructor(sum: number) {
    this.#rest = toCount(sum)
  }

  charge(count: bigint, rate: bigint): void {
    const taken = count < this.#rest ? count : this.#rest
    this.#rest -= taken
    this.femto += taken * rate
  }

  /** Charges what is of no other kind. @returns the sum in femto-dollars */
  chargeRest(rate: bigint): bigint {
    this.charge(this.#rest, rate)
    return this.femto
  }
}

const inputCost = (tokens: TokenCounts, rates: TokenRates): bigint => {
  const sum = new TokenSum(tokens.tokens_in)
  const hourly = toCount(tokens.tokens_cache_write_1h)
  const written = toCount(tokens.tokens_cache_write)
  // Nobody says how many tokens of audio were cached: they are charged as if none was, if possible.
  sum.charge(toCount(tokens.tokens_audio_in), rates.audio_input)
  sum.charge(toCount(tokens.tokens_image_in), rates.image_input)
  sum.charge(toCount(tokens.tokens_cache_read), rates.cached_input)
  sum.charge(hourly, rates.cache_write_1h)
  sum.charge(written > hourly ? written - hourly : 0n, rates.cache_write)
  return sum.chargeRest(rates.input)
}

const outputCost = (tokens: TokenCounts, rates: TokenRates): bigint => {
  const sum = new TokenSum(tokens.tokens_out)
  sum.charge(toCount(tokens.tokens_audio_out), rates.audio_output)
  sum.charge(toCount(tokens.tokens_image_out), rates.image_output)
  sum.charge(toCount(tokens.tokens_reasoning), rates.reasoning)
  return sum.chargeRest(rates.output)
}

/** Cost of the units, in femto-dollars times `msPerHour`: times are only divided once, at the end. */
const unitCost = (entry: PriceEntry, units: Units): bigint => {
  const service = servicePricesOf(entry, units.serviceTier)
  const rate = (name: UnitPriceName): bigint => {
    const price = service?.[name] ?? entry[name]
    return price === undefined ? 0n : (toFemto(price) ?? 0n)
  }
  return (
    rate("request") * toCount(units.requests ?? 1) * msPerHour +
    rate("image") * toCount(units.images) * msPerHour +
    rate("audio_minute") * toCount(units.audioMs) * (msPerHour / msPerMinute) +
    rate("gpu_hour") * toCount(units.durationMs)
  )
}

/** Rounds up to whole nano-dollars, at most `maxCost`. */
const toNano = (femtoOfTokens: bigint, femtoHours: bigint): number => {
  const divisor = femtoPerNano * msPerHour
  const nano = (femtoOfTokens * msPerHour + femtoHours + divisor - 1n) / divisor
  return Math.min(Number(nano), maxCost)
}

/** Like `calculateCost`, for amounts of any size. */
export const calculateLargeCost = (
  entry: PriceEntry,
  { tokens, ...units }: PricedUsage,
): number => {
  const { serviceTier } = units
  const rates = findTokenRates(entry, { tokensIn: tokens.tokens_in, serviceTier })
  return toNano(inputCost(tokens, rates) + outputCost(tokens, rates), unitCost(entry, units))
}

const maxOf = (rates: readonly bigint[]): bigint => rates.reduce((a, b) => (b > a ? b : a))

/** What is no number does not bound anything. */
const toBound = (max: number): number => (Number.isNaN(max) ? Number.MAX_SAFE_INTEGER : max)

const maxTokenCost = (rates: TokenRates, { maxTokensIn, maxTokensOut }: UsageBounds): bigint =>
  maxOf([
    ...[rates.input, rates.cached_input, rates.cache_write, rates.cache_write_1h],
    ...[rates.audio_input, rates.image_input],
  ]) *
    toCount(maxTokensIn) +
  maxOf([rates.output, rates.reasoning, rates.audio_output, rates.image_output]) *
    toCount(maxTokensOut)

/** Like `calculateMaxCost`, for amounts of any size. */
export const calculateLargeMaxCost = (entry: PriceEntry, units: UsageBounds): number => {
  const { serviceTier } = units
  const maxTokensIn = toBound(units.maxTokensIn)
  const bounds = { ...units, maxTokensIn, maxTokensOut: toBound(units.maxTokensOut) }
  const tiers = [...(entry.tiers ?? []), ...(servicePricesOf(entry, serviceTier)?.tiers ?? [])]
  const inputs = [0, ...tiers.map(({ above }) => above + 1), maxTokensIn]
  const costs = inputs
    .filter((tokensIn) => tokensIn <= maxTokensIn)
    .map((tokensIn) => maxTokenCost(findTokenRates(entry, { tokensIn, serviceTier }), bounds))
  return toNano(maxOf([0n, ...costs]), unitCost(entry, bounds))
}
