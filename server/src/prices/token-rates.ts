import { toFemto } from "./decimal.ts"
import type { TokenPriceName, TokenPrices } from "./price-schema.ts"
import type { PriceEntry } from "./schema.ts"

/** Femto-dollars per token, for each kind. */
export type TokenRates = Readonly<Record<TokenPriceName, bigint>>

/** What a kind of token costs as much as, if it has no price of its own. */
const containingKind = {
  cached_input: "input",
  cache_write: "input",
  cache_write_1h: "cache_write",
  reasoning: "output",
  audio_input: "input",
  audio_output: "output",
  image_input: "input",
  image_output: "output",
} as const satisfies Partial<Record<TokenPriceName, TokenPriceName>>

const isContained = (name: TokenPriceName): name is keyof typeof containingKind =>
  name in containingKind

/** The kind of token of which a kind is a part; undefined for input and output. */
export const containingKindOf = (name: TokenPriceName): TokenPriceName | undefined =>
  isContained(name) ? containingKind[name] : undefined

const rateOf = (prices: TokenPrices, name: TokenPriceName): bigint => {
  const price = prices[name]
  if (price !== undefined) return toFemto(price) ?? 0n
  return isContained(name) ? rateOf(prices, containingKind[name]) : 0n
}

const toRates = (prices: TokenPrices): TokenRates => ({
  input: rateOf(prices, "input"),
  cached_input: rateOf(prices, "cached_input"),
  cache_write: rateOf(prices, "cache_write"),
  cache_write_1h: rateOf(prices, "cache_write_1h"),
  output: rateOf(prices, "output"),
  reasoning: rateOf(prices, "reasoning"),
  audio_input: rateOf(prices, "audio_input"),
  audio_output: rateOf(prices, "audio_output"),
  image_input: rateOf(prices, "image_input"),
  image_output: rateOf(prices, "image_output"),
})

/** The prices of one service tier; undefined for the default one and for those without prices. */
export const servicePricesOf = ({ service_tiers }: PriceEntry, name: string | null) =>
  name !== null && service_tiers && Object.hasOwn(service_tiers, name)
    ? service_tiers[name]
    : undefined

export interface RateQuery {
  tokensIn: number
  serviceTier: string | null
}

/** By what replaces prices; for the default service tier, the context tier. */
type RatesByTier = Map<unknown, TokenRates>

const ratesByEntry = new WeakMap<PriceEntry, RatesByTier>()

/**
 * The rates of a request. What is more specific replaces single prices: the context tier those of
 * the entry, the service tier those of both, and the service tier's own context tier all of them.
 */
export const findTokenRates = (
  entry: PriceEntry,
  { tokensIn, serviceTier }: RateQuery,
): TokenRates => {
  const tier = entry.tiers?.findLast(({ above }) => tokensIn > above)
  const service = servicePricesOf(entry, serviceTier)
  const serviceContext = service?.tiers?.findLast(({ above }) => tokensIn > above)
  const key = service ? `${tier?.above} ${serviceContext?.above} ${serviceTier}` : tier
  const ratesByTier: RatesByTier = ratesByEntry.get(entry) ?? new Map()
  const known = ratesByTier.get(key)
  if (known) return known
  ratesByEntry.set(entry, ratesByTier)
  const rates = toRates({ ...entry, ...tier, ...service, ...serviceContext })
  ratesByTier.set(key, rates)
  return rates
}
